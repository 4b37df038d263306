extension PageFiles {
    /// Contrasts are those of WCAG AA in light and dark; what is pressed is 44 pixels high.
    static let style = """
        :root {
          color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.4;
          --paper: #fff; --ink: #1b1b1f; --soft: #55565e; --line: #c9cad2; --card: #f4f4f7;
          --go: #0b6b3a; --stop: #b3261e; --on: #fff; --mark: #0b57d0;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --paper: #16171b; --ink: #ececf1; --soft: #b0b2bd; --line: #43454f; --card: #22242a;
            --go: #7ddba3; --stop: #ffb4ab; --on: #10110f; --mark: #a8c7fa;
          }
        }
        * { box-sizing: border-box; }
        [hidden] { display: none !important; }
        body { margin: 0; background: var(--paper); color: var(--ink); }
        header, main { max-width: 44rem; margin: 0 auto; padding: 0 1rem; }
        header { display: flex; flex-wrap: wrap; align-items: center; gap: 0 1rem; padding-bottom: 0.75rem; }
        h1 { font-size: 1.5rem; margin: 0.75rem 0; }
        h2 { font-size: 1.1rem; margin: 0 0 0.5rem; }
        header p { color: var(--soft); margin: 0; flex: 1; }
        section { border: 1px solid var(--line); border-radius: 0.75rem; padding: 1rem; margin-bottom: 1rem; }
        #incoming { border: 0; padding: 0; margin: 0; }
        .ring { border: 2px solid var(--go); border-radius: 0.75rem; padding: 1rem; margin-bottom: 1rem; background: var(--card); }
        .ring p { margin: 0 0 0.75rem; font-size: 1.25rem; overflow-wrap: anywhere; }
        form { display: grid; grid-template-columns: 1fr auto auto; gap: 0.5rem; align-items: center; }
        form label { grid-column: 1 / -1; color: var(--soft); }
        form select, form:has(select:not([hidden])) input { grid-column: 1 / -1; }
        ::placeholder { color: var(--soft); opacity: 1; }
        input, select, button {
          font: inherit; color: inherit; min-height: 2.75rem; padding: 0.25rem 0.9rem; border-radius: 0.5rem;
          border: 1px solid var(--soft); background: var(--paper); min-width: 0;
        }
        button { cursor: pointer; background: var(--card); }
        input[type=checkbox] { min-height: 0; width: 1.5rem; height: 1.5rem; margin: 0 0.5rem 0 0; vertical-align: middle; }
        .choices { display: grid; gap: 0.5rem; margin-top: 0.75rem; }
        .choices p { margin: 0; color: var(--soft); }
        details summary { cursor: pointer; }
        #devices { margin-top: 0.75rem; }
        #health-state { margin: 0; }
        button.go { background: var(--go); border-color: var(--go); color: var(--on); font-weight: 600; }
        button.stop { background: var(--stop); border-color: var(--stop); color: var(--on); font-weight: 600; }
        button[aria-pressed=true] { background: var(--mark); border-color: var(--mark); color: var(--on); }
        button:disabled { opacity: 0.6; cursor: default; }
        :focus-visible { outline: 3px solid var(--mark); outline-offset: 2px; }
        #state { margin: 0.75rem 0 0; min-height: 1.4em; overflow-wrap: anywhere; }
        .row { display: flex; flex-wrap: wrap; gap: 0.5rem; margin: 0.5rem 0; }
        #keypad { display: grid; grid-template-columns: repeat(3, 1fr); gap: 0.5rem; max-width: 18rem; margin: 0.75rem 0; }
        #keypad button { min-height: 3.25rem; font-size: 1.25rem; }
        .levels label { display: grid; grid-template-columns: 4rem 1fr; align-items: center; }
        meter { width: 100%; height: 1.25rem; }
        .delays { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 0.5rem; margin: 0.75rem 0; }
        .delays p { margin: 0; color: var(--soft); }
        output { display: block; font-size: 1.6rem; font-weight: 600; color: var(--ink); }
        output, td, time { font-variant-numeric: tabular-nums; }
        .wide { overflow-x: auto; }
        table { border-collapse: collapse; width: 100%; }
        th, td { text-align: left; padding: 0.35rem 0.75rem 0.35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
        td:first-child { overflow-wrap: anywhere; min-width: 8rem; }
        ul { list-style: none; margin: 0; padding: 0; }
        li { padding: 0.25rem 0; overflow-wrap: anywhere; }
        summary h2 { display: inline; }
        #search { margin: 0.75rem 0; }
        #text-to { grid-column: 1 / -1; }
        #texts p { margin: 0; }
        #texts span, #texts time { color: var(--soft); }
        .words { white-space: pre-wrap; }
        dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1rem; margin: 0; }
        dt { color: var(--soft); }
        dd { margin: 0; overflow-wrap: anywhere; }
        audio { width: 100%; }
        li li { padding: 0 0 0 1rem; color: var(--soft); }
        h3 { font-size: 1rem; margin: 1rem 0 0.5rem; }
        figure { margin: 0 0 1rem; }
        figure svg { display: block; width: 100%; height: 6rem; border: 1px solid var(--line); background: var(--card); }
        polyline { fill: none; stroke-width: 2; vector-effect: non-scaling-stroke; stroke: currentColor; }
        rect { fill: currentColor; stroke: var(--paper); stroke-width: 2; vector-effect: non-scaling-stroke; }
        figcaption, .names { color: var(--soft); font-size: 0.9rem; margin: 0; font-variant-numeric: tabular-nums; }
        .names span { margin-right: 1rem; border-bottom: 3px solid; padding-bottom: 1px; }
        .line0, .name0 { color: var(--mark); }
        .line1, .name1 { color: var(--stop); }
        .line2, .name2 { color: var(--go); }
        polyline.line1 { stroke-dasharray: 8 4; }
        polyline.line2 { stroke-dasharray: 2 3; }
        .remedy { margin: 0 0 0 1rem; }
        .strip { display: block; width: 100%; height: 1rem; background: var(--card); }
        .report { min-height: 2rem; padding: 0 0.6rem; border-color: var(--stop); }
        .marks { margin-bottom: 1rem; }
        #moments { margin: 0 0 1rem; padding-left: 1.5rem; }
        #ladder { list-style: none; margin: 0 0 1rem; padding: 0; border-inline: 2px solid var(--line); }
        #ladder li { padding: 0.25rem 0.75rem; }
        #ladder .received { text-align: right; }
        #ladder summary { cursor: pointer; }
        #ladder span, #ladder time { color: var(--soft); }
        pre {
          margin: 0.5rem 0; padding: 0.5rem; background: var(--card); text-align: left; white-space: pre-wrap;
          overflow-wrap: anywhere; font-size: 0.85rem;
        }
        .check { min-height: 2rem; padding: 0 0.6rem; }
        .registered { color: var(--go); font-weight: 600; }
        .advice { color: var(--mark); font-weight: 600; }
        .failed { color: var(--stop); font-weight: 600; }
        @media (max-width: 30rem) {
          form { grid-template-columns: 1fr 1fr; }
          form input { grid-column: 1 / -1; }
          .row button { flex: 1 1 40%; }
          #keypad { max-width: none; }
        }

        """
}
