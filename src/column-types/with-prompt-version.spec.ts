import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../platform/json.js';
import { withPromptVersion } from './with-prompt-version.js';

describe('a run for a version of a prompt', () => {
  it.each([
    ['the latest', { name: 'greeting' }, { name: 'greeting', version_number: 3 }],
    ['another version', { name: 'greeting', version_number: 1 }, { name: 'greeting', version_number: 3 }],
    ['a label', { name: 'greeting', label: 'prod' }, { name: 'greeting', version_number: 3 }],
    ['the earlier key', { prompt_name: 'greeting' }, { prompt_name: 'greeting', version_number: 3 }],
    ['another prompt', { name: 'Greeting', label: 'prod' }, { name: 'Greeting', label: 'prod' }],
  ])('uses it in place of %s', (_, template, expected) => {
    const configuration = { template, verbose: true };
    expect(withPromptVersion(configuration, { name: 'greeting', version: 3 })).toEqual({
      template: expected,
      verbose: true,
    });
  });

  it.each<JsonObject>([
    { source: 'a' },
    { inline_template: { inline: true } },
    { template: null },
    { template: 'greeting' },
  ])('leaves %j as it is', (configuration) => {
    expect(withPromptVersion(configuration, { name: 'greeting', version: 3 })).toEqual(configuration);
  });
});
