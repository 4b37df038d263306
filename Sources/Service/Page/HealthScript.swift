extension PageFiles {
    /// What is wrong with the machine, the configuration or the servers, and what to do: as it was found at the start, or anew.
    static let healthScript = #"""
        // Each account says for itself how it is.
        const isWrong = (finding) => finding.grade !== 'fine' && !finding.subject.startsWith('account ');

        async function drawHealth(isNew) {
          part('health-look').disabled = true;
          if (isNew) part('health-state').textContent = 'looking; that takes some seconds';
          try {
            const { findings } = await order('GET', '/v1/check' + (isNew ? '' : '?last=true'));
            const wrong = findings.filter(isWrong);
            part('health-state').textContent = wrong.length ? '' : `nothing is wrong; ${findings.length} things were looked at`;
            part('findings').replaceChildren(...wrong.map((finding) => {
              const item = element('li', '');
              item.append(
                element('span', finding.grade, { className: finding.grade === 'trouble' ? 'failed' : 'advice' }),
                ' ' + finding.subject + ': ' + finding.detail);
              if (finding.remedy) item.append(element('p', 'What to do: ' + finding.remedy, { className: 'remedy' }));
              return item;
            }));
          } catch (error) {
            part('health-state').textContent = error.message;
          }
          part('health-look').disabled = false;
        }

        part('health-look').addEventListener('click', () => drawHealth(true));

        """#
}
