import { expect, it } from 'vitest';
import { contentOf, draftOf, draftText, emptyDraft, functionNameFor } from './tool-draft';

const version = {
  tool_definition: {
    type: 'function',
    cache_control: { type: 'ephemeral' },
    function: { name: 'add', description: 'Adds.', strict: true, parameters: { type: 'object' } },
  },
  execution: { type: 'code' as const, language: 'python' as const, code: 'return 1\n' },
  response_schema: null,
};

it('keeps what the form does not show', () => {
  const draft = { ...draftOf(version), functionName: 'sum', parameters: '' };
  expect(contentOf(draft, version)).toEqual({
    tool_definition: {
      type: 'function',
      cache_control: { type: 'ephemeral' },
      function: { name: 'sum', description: 'Adds.', strict: true },
    },
    execution: version.execution,
    response_schema: null,
  });
  expect(contentOf(draftOf(version), version)).toEqual(version);
});

it('names the field whose JSON is wrong', () => {
  expect(() => contentOf({ ...emptyDraft(), parameters: '{' }, null)).toThrow('The parameters: this is no valid JSON.');
  expect(() => contentOf({ ...emptyDraft(), result: '[]' }, null)).toThrow('The schema of the result: this is no JSON');
});

it('omits code without a language', () => {
  expect(contentOf({ ...emptyDraft(), functionName: 'a', code: 'return 1' }, null).execution).toBeNull();
  expect(draftText({ ...emptyDraft(), functionName: 'a', code: 'return 1' })).toBe('function:\na');
});

it('makes names that models can call', () => {
  expect(functionNameFor(' Weather in Kyiv, today ')).toBe('Weather_in_Kyiv_today');
});
