import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPORT_COLUMN_TYPES } from '../../src/evaluations/columns/report-column-types.js';
import type { Client } from '../support/client.js';
import { evaluated, newDataset, newReport, previewed, readReport, type TestDataset } from '../support/evaluations.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
let dataset: TestDataset;

const TEXT = 'Order #12 and #7. Fine!';
const DIFF =
  '--- a\n+++ b\n@@ -1 +1 @@\n-Order #12 and #7. Fine!\n\\ No newline at end of file\n+Done\n\\ No newline at end of file\n';

beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
  dataset = await newDataset(me, [
    {
      text: TEXT,
      other: 'order',
      one: '3',
      two: '5',
      blank: '',
      json: '{"a": [1, 2, {"b": 7}]}',
      xml: '<r><i>x</i><i>y</i></r>',
      diff: DIFF,
    },
  ]);
});
afterAll(() => app.stop());

/** The configuration in the words of the reference and in those of the earlier guide, and what both compute. */
const COMPUTED: [type: string, forms: object[], value: unknown][] = [
  [
    'COMPARE',
    [
      { sources: ['one', 'two'], comparison_type: { type: 'STRING' } },
      { source1: 'one', source2: 'two' },
    ],
    false,
  ],
  ['COMPARE', [{ sources: ['json', 'json'], comparison_type: { type: 'JSON', json_path: '$.a[0]' } }], true],
  [
    'CONTAINS',
    [
      { source: 'text', value: 'ORDER' },
      { source: 'text', value_source: 'other' },
    ],
    true,
  ],
  [
    'REGEX',
    [
      { source: 'text', regex_pattern: '#\\d+' },
      { source: 'text', pattern: '#\\d+' },
    ],
    true,
  ],
  [
    'REGEX_EXTRACTION',
    [
      { source: 'text', regex_pattern: '#(\\d+)' },
      { source: 'text', pattern: '#(\\d+)', group: 1 },
    ],
    ['12', '7'],
  ],
  ['ABSOLUTE_NUMERIC_DISTANCE', [{ sources: ['one', 'two'] }, { source1: 'one', source2: 'two' }], 2],
  [
    'JSON_PATH',
    [
      { source: 'json', json_path: '$.a[2].b' },
      { source: 'json', path: '$.a[2].b' },
    ],
    7,
  ],
  [
    'JSON_PATH',
    [
      { source: 'json', json_path: '$.a[0,1]', return_first_match: false },
      { source: 'json', path: '$.a[0,1]', return_all: true },
    ],
    [1, 2],
  ],
  [
    'XML_PATH',
    [
      { source: 'xml', xml_path: './/i' },
      { source: 'xml', xpath: './/i' },
    ],
    'x',
  ],
  [
    'XML_PATH',
    [
      { source: 'xml', xml_path: './/i', type: 'findall' },
      { source: 'xml', xpath: './/i', return_all: true },
    ],
    ['x', 'y'],
  ],
  ['XML_PATH', [{ source: 'xml', xml_path: './/i', return_text: false }], '<i>x</i>'],
  [
    'PARSE_VALUE',
    [
      { source: 'one', type: 'number' },
      { source: 'one', target_type: 'number' },
    ],
    3,
  ],
  [
    'PARSE_VALUE',
    [
      { source: 'json', type: 'object' },
      { source: 'json', target_type: 'json' },
    ],
    { a: [1, 2, { b: 7 }] },
  ],
  [
    'APPLY_DIFF',
    [
      { original_source: 'text', diff_source: 'diff' },
      { content_source: 'text', diff_source: 'diff' },
    ],
    'Done',
  ],
  [
    'VARIABLE',
    [{ value: { type: 'string', value: 'en' } }, { value: 'en', value_type: 'string' }, { value: 'en' }],
    'en',
  ],
  ['VARIABLE', [{ value: { type: 'json', value: [1] } }, { value: [1], value_type: 'json' }], [1]],
  [
    'ASSERT_VALID',
    [
      { source: 'json', type: 'object' },
      { source: 'json', validation_type: 'json' },
    ],
    true,
  ],
  [
    'ASSERT_VALID',
    [
      { source: 'text', type: 'number' },
      { source: 'text', validation_type: 'number' },
    ],
    false,
  ],
  ['COALESCE', [{ sources: ['blank', 'one', 'two'] }], '3'],
  ['COMBINE_COLUMNS', [{ sources: ['one', 'two'] }], { one: '3', two: '5' }],
  [
    'COMBINE_COLUMNS',
    [
      { sources: ['one', 'two'], separator: '-' },
      { sources: ['one', 'two'], format: '{one}-{two}' },
    ],
    '3-5',
  ],
  [
    'COUNT',
    [
      { source: 'text', type: 'chars' },
      { source: 'text', count_type: 'characters' },
    ],
    TEXT.length,
  ],
  [
    'COUNT',
    [
      { source: 'text', type: 'sentences' },
      { source: 'text', count_type: 'sentences' },
    ],
    2,
  ],
  [
    'MATH_OPERATOR',
    [
      { sources: ['one', 'two'], operator: 'lt' },
      { source1: 'one', source2: 'two', operator: 'lt' },
    ],
    true,
  ],
  ['MATH_OPERATOR', [{ sources: ['one'], operator: 'ge', value: 3 }], true],
  ['MATH_OPERATOR', [{ source1: 'one', source2: 'two', operator: '**' }], 243],
  ['MIN_MAX', [{ source: 'json', type: 'max', json_path: '$.a[*]' }], 2],
  [
    'MIN_MAX',
    [
      { sources: ['one', 'two'], type: 'min' },
      { sources: ['one', 'two'], operation: 'min' },
    ],
    3,
  ],
  [
    'CODE_EXECUTION',
    [
      { code: 'return data["one"] + data["two"]', language: 'PYTHON' },
      { code: 'return data.one + data.two', language: 'javascript' },
    ],
    '35',
  ],
];

const engine = { provider: 'tracesheet', model: 'echo' };
const inline_template = {
  inline: true,
  prompt_template: { type: 'chat', messages: [{ role: 'user', content: [{ type: 'text', text: 'Say {text}' }] }] },
};

/** Column types that need a model, a person or another server. All their forms are accepted. */
const OUTSIDE: [type: string, forms: object[]][] = [
  [
    'PROMPT_TEMPLATE',
    [
      {
        template: { name: 'p', version_number: 1 },
        prompt_template_variable_mappings: { text: 'text' },
        verbose: true,
      },
      { template: { prompt_name: 'p', label: 'prod' }, prompt_template_variable_mappings: {}, engine },
      {
        inline_template,
        prompt_template_variable_mappings: { text: 'text' },
        chat_history_source: 'json',
        return_template_only: true,
      },
    ],
  ],
  ['ENDPOINT', [{ url: 'https://api.example.com/x', headers: { a: 'b' }, timeout: 5 }]],
  ['WORKFLOW', [{ workflow_id: 1, workflow_version_number: 2, input_mappings: { a: 'one' } }]],
  [
    'MCP',
    [
      {
        server_url: 'https://tools.example.com/mcp',
        function_name: 'find',
        auth: { type: 'bearer', token: 'x' },
        input_mappings: { a: 'one' },
      },
    ],
  ],
  [
    'HUMAN',
    [
      { data_type: 'number', ui_element: { type: 'slider', min: 1, max: 5 } },
      { input_type: 'numeric', prompt: 'How good?', min: 1, max: 5 },
      { input_type: 'text', prompt: 'Why?' },
    ],
  ],
  [
    'CONVERSATION_SIMULATOR',
    [
      { template: { name: 'p' }, prompt_template_variable_mappings: {}, user_persona: 'in a hurry', max_turns: 2 },
      {
        template: { prompt_name: 'p' },
        prompt_template_variable_mappings: {},
        user_persona_source: 'text',
        is_user_first: true,
        conversation_samples: [],
      },
    ],
  ],
  ['CODING_AGENT', [{ prompt: 'Fix it', files: [{ path: 'a', content: 'b' }] }]],
  [
    'LLM_ASSERTION',
    [
      { source: 'text', prompt: 'Is it polite?' },
      { source: 'text', prompt: '["Is it polite to {name}?", "Is it short?"]', variable_mappings: { name: 'one' } },
      { source: 'text', prompt_source: 'other' },
    ],
  ],
  [
    'AI_DATA_EXTRACTION',
    [
      { source: 'text', query: 'the order' },
      { source: 'text', extraction_prompt: 'the order' },
    ],
  ],
  ['COSINE_SIMILARITY', [{ sources: ['one', 'two'] }, { source1: 'one', source2: 'two' }]],
];

describe('the types of evaluation columns', () => {
  it('are all tried here', () => {
    const tried = new Set([...COMPUTED, ...OUTSIDE].map(([type]) => type));
    expect([...tried].toSorted()).toEqual(REPORT_COLUMN_TYPES);
  });

  it.each(COMPUTED)(
    '%s computes the same in every form of its configuration: %j',
    async (column_type, forms, value) => {
      const columns = forms.map((configuration, index) => ({ column_type, name: `C${index}`, configuration }));
      const { id, columns: created } = await newReport(me, dataset, columns);
      // Configurations are returned as they were given.
      expect(created.slice(-forms.length).map(({ configuration }) => configuration)).toEqual(forms);
      await previewed(me, id);
      // Code in the second form sees the first one as well, which changes nothing.
      expect(await evaluated(me, id)).toEqual([forms.map(() => value)]);
    },
  );

  it.each(OUTSIDE)('%s is taken in every form of its configuration', async (column_type, forms) => {
    const columns = forms.map((configuration, index) => ({ column_type, name: `C${index}`, configuration }));
    const { id } = await newReport(me, dataset, columns);
    const { report_columns: shown } = await readReport(me, id);
    expect(shown.slice(-forms.length)).toMatchObject(columns);
  });

  it.each([
    ['WORKFLOW', { workflow_id: 1, input_mappings: {} }, /Workflow 1 was not found in this workspace/],
    ['CODING_AGENT', { prompt: 'Fix it' }, /CODING_AGENT is not installed on this server/],
    ['LLM_ASSERTION', { source: 'text', prompt: 'Is it polite?' }, /credential/],
  ])('%s fails its cells, and not the request, without a provider', async (column_type, configuration, message) => {
    const { id } = await newReport(me, dataset, [{ column_type, name: 'C', configuration }]);
    await previewed(me, id);
    expect(await evaluated(me, id)).toEqual([[expect.stringMatching(message)]]);
  });
});
