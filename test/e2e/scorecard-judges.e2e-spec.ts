import { describe, expect, it } from 'vitest';
import { newSheet } from '../support/factories.js';
import { fresh, lastMessage, useModelApp } from '../support/model-app.js';
import { calculateScorecard, readResult } from '../support/scorecards.js';

const used = useModelApp();

/** The verdicts on a question about an answer, in their order; the last one goes on. */
function answering(verdictsOn: (asked: string) => boolean[]): void {
  const counts = new Map<string, number>();
  used.vendors.reply = (call) => {
    const asked = lastMessage(call);
    const count = counts.get(asked) ?? 0;
    counts.set(asked, count + 1);
    const verdicts = verdictsOn(asked);
    const value = verdicts[Math.min(count, verdicts.length - 1)];
    return { text: JSON.stringify({ reasoning: `Verdict ${count + 1}.`, citation: '', value }) };
  };
}

const judge = (more: object = {}) => ({
  title: 'Judge',
  primitive_type: 'LLM_ASSERTION',
  primitive_config: { source: 'Column A', prompt: '["Is it short?", "Is it kind?"]', ...more },
});

describe('a judge', () => {
  it('scores a row by the share of the assertions that hold', async () => {
    answering((asked) => [asked.includes('short')]);
    const sheet = await newSheet(used.me, [fresh('An answer')]);
    const calculation = await calculateScorecard(used.me, sheet, [judge()]);
    const [criterion] = Object.values(calculation.criterion_summaries);
    expect(criterion).toMatchObject({ score: 0.5, verdict: 'fail', flip_rate: null });
    const [result] = Object.values((await readResult(used.me, sheet, 0)).step_results);
    expect(result).toMatchObject({
      score: 0.5,
      raw_value: { 'Is it short?': { value: true, reasoning: 'Verdict 1.' }, 'Is it kind?': { value: false } },
    });
  });

  it('that is asked several times says what it said most often, and how steady it is', async () => {
    answering((asked) => (asked.includes('short') ? [false, true, true] : [true, true, true]));
    const sheet = await newSheet(used.me, [fresh('An answer')]);
    const calculation = await calculateScorecard(used.me, sheet, [judge({ repeat: 3 })]);
    expect(used.vendors.calls).toHaveLength(6);
    const [criterion] = Object.values(calculation.criterion_summaries);
    // One of two questions got other answers; of its three pairs of answers two differ.
    expect(criterion).toMatchObject({
      score: 1,
      flip_rate: {
        rows: 2,
        flipped: 1,
        rate: 0.5,
        disagreement: expect.closeTo(1 / 3),
        confidence_interval: { method: 'wilson' },
      },
    });
    const [result] = Object.values((await readResult(used.me, sheet, 0)).step_results);
    expect(result!.raw_value).toEqual({
      'Is it short?': { value: true, reasoning: 'Verdict 2.', judgements: [false, true, true] },
      'Is it kind?': { value: true, reasoning: 'Verdict 1.', judgements: [true, true, true] },
    });
  });

  it('that says both as often is taken to say no', async () => {
    answering(() => [true, false]);
    const sheet = await newSheet(used.me, [fresh('An answer')]);
    await calculateScorecard(used.me, sheet, [judge({ repeat: 2 })]);
    expect(await readResult(used.me, sheet, 0)).toMatchObject({ aggregate_score: 0 });
  });

  it.each([0, 1, 11, 1.5, 'often'])('is not asked %j times', async (repeat) => {
    const sheet = await newSheet(used.me, ['x']);
    const body = { name: 'Q', aggregation: {}, steps: [judge({ repeat })] };
    const answer = await used.me.request('PATCH', `${sheet.path}/scorecard`, body);
    expect([answer.status, answer.body]).toMatchObject([400, { error: 'column_config_invalid' }]);
  });

  it('that cannot answer is an error of the row, which says why', async () => {
    used.vendors.reply = () => ({ text: 'no idea' });
    const sheet = await newSheet(used.me, [fresh('An answer')]);
    const calculation = await calculateScorecard(used.me, sheet, [judge()]);
    expect(calculation).toMatchObject({ status: 'completed', aggregate_verdict: 'error' });
    expect((await readResult(used.me, sheet, 0)).error_summary).toContain('no idea');
  });
});
