import { describe, expect, it } from 'vitest';
import {
  evaluated,
  newDataset,
  newReport,
  readReportRows,
  readReportScore,
  runReport,
} from '../support/evaluations.js';
import { fresh, lastMessage, useModelApp } from '../support/model-app.js';

const used = useModelApp();

const judge = (name: string, prompt: string) => ({
  column_type: 'LLM_ASSERTION',
  name,
  configuration: { source: 'answer', prompt },
});

describe('an assertion of a model', () => {
  it('is true or false in a report, for each question, and is scored and given to code so', async () => {
    const { me, vendors } = used;
    vendors.reply = (asked) => {
      const value = /good|kind/.test(lastMessage(asked)) && !lastMessage(asked).includes('bad');
      return { text: JSON.stringify({ reasoning: 'Because.', citation: '', value }) };
    };
    const dataset = await newDataset(me, [
      { answer: 'good' },
      { answer: 'bad' },
      { answer: 'good, too' },
      { answer: 'bad as well' },
    ]);
    const { id } = await newReport(me, dataset, [
      judge('One', 'Does it hold?'),
      { ...judge('Two', '["Is it kind?", "Is it long?"]'), is_part_of_score: true },
    ]);
    const run = (await runReport(me, id)).report;
    const rows = await evaluated(me, run.id);
    expect(rows.map(([one]) => one)).toEqual([true, false, true, false]);
    expect(rows[0]![1]).toEqual({ 'Is it kind?': true, 'Is it long?': true });
    expect(rows[1]![1]).toEqual({ 'Is it kind?': false, 'Is it long?': false });
    expect(await readReportScore(me, run.id)).toMatchObject({
      overall_score: 50,
      details: { column_name: 'Two', score_type: 'boolean', num_skipped: 0 },
    });
    const code = 'return {"score": sum(1 for row in data if row["One"] is True and row["Two"]["Is it kind?"])}';
    const scored = await me.patch(`/reports/${run.id}/score-card`, { column_names: [], code });
    expect(scored).toMatchObject({ report: { score: { overall_score: 2 } } });
  });

  it('is asked again by another run, unless known answers will do, and the run and its rows say so', async () => {
    const { me, vendors } = used;
    vendors.reply = () => ({ text: JSON.stringify({ reasoning: 'Because.', citation: '', value: true }) });
    const dataset = await newDataset(me, [{ answer: fresh('one') }, { answer: fresh('two') }]);
    const { id } = await newReport(me, dataset, [judge('One', 'Does it hold?')]);
    for (const [body, reused] of [
      [{}, 0],
      [{ reuse: true }, 2],
    ] as const) {
      const { report, stats } = await runReport(me, id, body);
      expect(stats).toMatchObject({ status_counts: { COMPLETED: 2 }, reused_count: reused });
      const { rows } = await readReportRows(me, report.id);
      const cells = rows.map((row) => row.at(-1)!);
      expect(cells.filter((cell) => 'reused_from' in cell)).toHaveLength(reused);
    }
  });
});
