import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { readJson } from '../../platform/read-json.js';
import type { ContentPart, Message, Prompt } from '../shared/blueprint.js';
import {
  builtIn,
  chat,
  completion,
  DATA,
  functionTool,
  IMAGE,
  media,
  message,
  text,
  toolCall,
  VENDOR_PARTS,
} from './prompts.fixture.js';
import { providers } from './providers.fixture.js';

const PROVIDERS = [
  'openai',
  'openai.azure',
  'anthropic',
  'anthropic.bedrock',
  'google',
  'vertexai',
  'mistral',
  'cohere',
  'huggingface',
  'openrouter',
  'amazon.bedrock',
  'elsewhere',
];

const API_TYPES = [null, 'chat-completions', 'responses', 'images', 'speech'];

/** Marks every text a client has to render; spaces keep it from being blank. */
const VARIABLE = '{variable}';

/** JSON as the server reads it: integers that a number would round are bigints. */
const json = fc.json().map(readJson);
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null | undefined> =>
  fc.option(value, { freq: 3, nil: undefined });

const anyPart = fc.oneof(
  fc.constantFrom(text(VARIABLE), text(''), IMAGE, ...VENDOR_PARTS),
  fc
    .tuple(fc.constantFrom('image/png', 'audio/wav', 'application/pdf', null), fc.constantFrom(DATA, 'https://x', null))
    .map(([type, url]) => media(type, url, 'neither')),
  fc
    .tuple(
      fc.constantFrom(...VENDOR_PARTS, IMAGE, text('x')),
      fc.dictionary(fc.constantFrom('id', 'content', 'thinking', 'url', 'text'), json),
    )
    .map(([part, broken]) => ({ ...part, ...broken }) as ContentPart),
);

const anyMessage: fc.Arbitrary<Message> = fc
  .record({
    role: fc.constantFrom('system', 'developer', 'user', 'assistant', 'tool', 'function', 'placeholder'),
    content: fc.option(fc.array(anyPart, { maxLength: 5 })),
    id: fc.constantFrom('c1', 'c2', ''),
    args: fc.oneof(json, fc.constantFrom('{}', '{"a":1}', '{')),
    name: maybe(fc.constantFrom('f', '')),
  })
  .map(({ role, content, id, args, name }) => {
    const older = name && { name, arguments: JSON.stringify(args) };
    const calls = { tool_calls: [toolCall(id, 'f', args)], function_call: older };
    return message(role as Message['role'], content, { name, tool_call_id: id, ...(role === 'assistant' && calls) });
  });

const TOOLS = [
  functionTool('f'),
  builtIn('openai', 'web_search'),
  builtIn('google', 'web_search'),
  { type: 'variable' },
];

const anyPrompt: fc.Arbitrary<Prompt> = fc.oneof(
  fc.array(anyPart, { maxLength: 5 }).map((parts) => completion(...parts)),
  fc
    .record({
      messages: fc.array(anyMessage, { maxLength: 6 }),
      tools: fc.option(fc.subarray(TOOLS)),
      functions: fc.option(fc.subarray([{ name: 'g' }])),
      tool_choice: fc.constantFrom(null, 'auto', 'none', 'required', 'f'),
      function_call: fc.constantFrom(null, 'none', { name: 'g' }),
    })
    .map(({ messages, ...rest }) => chat(messages, rest as Partial<ReturnType<typeof chat>>)),
);

const anyParameters = fc.dictionary(
  fc.constantFrom('temperature', 'max_tokens', 'stop', 'thinking', 'response_format', 'generation_config', 'x'),
  json,
) as fc.Arbitrary<JsonObject>;

/** Places in which clients look for variables; `$` is any index. */
const RENDERED = [
  /^messages\.\$\.content(\.\$\.text)?$/,
  /^input\.\$\.content(\.\$\.text)?$/,
  /^system\.\$\.text$/,
  /^contents\.\$\.parts\.\$\.text$/,
  /^history\.\$\.parts\.\$\.text$/,
  /^generation_config\.system_instruction\.parts\.\$\.text$/,
  /^prompt$/,
];

/** Vendors expect results of tools elsewhere, and speech has one text, so clients leave those as they are. */
const UNRENDERED =
  /tool_result|toolResult|function_response|^input\.\$\.output|^messages\.\$\.content\.\$\.(content|toolResult)|^input$/;

function pathsOf(value: JsonValue, path: string[] = []): string[] {
  if (typeof value === 'string') return value.includes(VARIABLE) ? [path.join('.')] : [];
  if (Array.isArray(value)) return value.flatMap((entry) => pathsOf(entry, [...path, '$']));
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, entry]) => pathsOf(entry, [...path, key]));
}

describe.each(PROVIDERS)('the arguments for %s', (provider) => {
  it('are JSON without nulls and empty lists, whatever the prompt', () => {
    fc.assert(
      fc.property(anyPrompt, fc.constantFrom(...API_TYPES), anyParameters, (prompt, apiType, parameters) => {
        for (const model of [null, 'claude-4', 'gemini-2']) {
          const kwargs = providers.kwargs(provider, { prompt, model, apiType, parameters });
          expect(readJson(JSON.stringify(kwargs))).toEqual(kwargs);
          for (const value of Object.values(kwargs)) expect([undefined, null]).not.toContain(value);
          for (const value of Object.values(kwargs)) expect(value).not.toEqual([]);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('have variables only where clients fill them in', () => {
    fc.assert(
      fc.property(anyPrompt, fc.constantFrom(...API_TYPES), (prompt, apiType) => {
        const kwargs = providers.kwargs(provider, { prompt, model: 'model', apiType, parameters: {} });
        const elsewhere = pathsOf(kwargs).filter(
          (path) => !RENDERED.some((pattern) => pattern.test(path)) && !UNRENDERED.test(path),
        );
        expect(elsewhere).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});
