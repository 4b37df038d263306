/// The page of a replay: style, canvas, and the script that draws `ReplayPicture`'s data on it. Nothing is loaded from
/// elsewhere, so that the file can be mailed and kept.
enum ReplayPage {
    static func text(title: String, data: String) -> String {
        head(title) + "<script>\nconst data = \(data);\n\(ReplayPageScript.text)</script>\n</html>\n"
    }

    private static func head(_ title: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(title) – yodel replay</title>
        <style>
        body { font: 14px/1.4 system-ui, sans-serif; margin: 1.2em; color: #1b2733; background: #fff; }
        h1 { font-size: 1.3em; margin: 0 0 .4em; } p { margin: .3em 0; color: #53616f; }
        #figures b { font-variant-numeric: tabular-nums; color: #1b2733; }
        #figures span { margin-right: 1.4em; white-space: nowrap; }
        canvas { display: block; width: 100%; cursor: crosshair; touch-action: none; }
        #legend span { display: inline-block; margin-right: 1.1em; }
        #legend i { display: inline-block; width: .8em; height: .8em; margin-right: .35em; border: 1px solid #0003; }
        #readout { min-height: 1.4em; font-variant-numeric: tabular-nums; }
        table { border-collapse: collapse; margin-top: .6em; } td, th { padding: .15em .9em .15em 0; text-align: right; }
        th { font-weight: 600; } td:nth-child(2), th:nth-child(2) { text-align: left; } tbody tr { cursor: pointer; }
        tbody tr:hover { background: #eef3f8; }
        </style>
        <h1>\(title)</h1>
        <p id="figures"></p>
        <p id="legend"></p>
        <canvas id="picture"></canvas>
        <p id="readout"></p>
        <p>Wheel or + and &minus;: zoom. Drag or arrow keys: move. Double click: all of it. A packet above the play-out's
        line came too late for it.</p>
        <table><thead><tr><th>at, s</th><th>longest of what was not plain</th><th>ms</th></tr></thead>
        <tbody id="worst"></tbody></table>

        """
    }
}
