import { expect, it } from 'vitest';
import { factsOf, inWords } from './words';

it.each([
  ['prompt_template_label_moved', 'Prompt label moved'],
  ['report.run', 'Evaluation: run'],
  ['report_column.delete', 'Evaluation column: delete'],
  ['request_log_created', 'Request created'],
  ['reports_made', 'Reports made'],
  ['console_session.start', 'Console session: start'],
  ['', ''],
])('reads %s as %s', (name, words) => expect(inWords(name)).toBe(words));

it('describes the texts and numbers of an event, and leaves out ids', () => {
  const details = {
    report_id: 8,
    sheet_id: 'f02aab17-c764-4fc0-afac-f88944eea3ec',
    report_name: 'First',
    labels: ['a'],
    path: null,
    is_final: false,
  };
  expect(factsOf(details)).toBe('evaluation id: 8, evaluation name: First, is final: false');
  expect(factsOf({ name: 'x'.repeat(81) })).toBe(`name: ${'x'.repeat(80)}…`);
  expect(factsOf({})).toBe('');
});
