import 'reflect-metadata';
import { readFileSync, writeFileSync } from 'node:fs';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { eventTypes, RESERVED_EVENTS } from './events/index.js';
import { buildOpenApi } from './openapi.js';
import { counters, gauges, loadConfig, settings } from './composition.js';
import { ON_OFF_WORDS } from './platform/config/settings.js';
import { domains } from './platform/domain.js';
import { errorTables } from './platform/errors/problem.js';
import { sampleMessage } from './platform/errors/sample-message.js';
import type { FieldClass } from './platform/filters/fields.js';
import { FIELD_CLASSES, needsKey, operatorsOf, ruleOf } from './platform/filters/operators.js';
import { type DescribedMetric, Metrics } from './platform/telemetry/metrics.js';
import { requestFields } from './requests/index.js';
import { ROW_FIELDS } from './tables/index.js';
import { describeFields } from './traces/index.js';
import { knownNames, senderReferences } from './trace-conventions/index.js';

const FILTERS = `A filter group is \`{"logic": "AND", "filters": […]}\`. Each filter is another group or
\`{"field": "…", "operator": "…", "value": …}\`, with a \`nested_key\` where a field has keys. The logic is \`AND\` or \`OR\`.
In a search for traces \`SPAN_AND\` and \`SPAN_OR\` ask for one span that fulfils the filters by itself. Searches, analytics,
imports into sheets, and exports take the same groups. [How to filter](../how-to/filters.md) has examples.`;

/** Rules of filters that the tables of fields and operators do not contain. */
const FILTER_RULES = [
  '## Letters',
  '',
  '- Operators for whole values respect letter case: `is`, `is_not`, `in`, `not_in`, `key_equals`, `key_not_equals`, and',
  '  `contains` and `not_contains` of arrays and pairs. Any letter case is accepted for `trace_id`, `span_id` and `span_parent_id`',
  '  in the form of OpenTelemetry, for `trace_status`, `span_status` and `span_kind`, and for `cell_status`, `cell_verdict` and `row_verdict`.',
  '- Operators for parts of a text ignore letter case and the width of letters: `contains`, `not_contains`, `starts_with` and',
  '  `ends_with` of texts, names, columns of a sheet and `cell_error`, and `key_contains`. A ligature equals its letters, and "ß" equals "ss".',
  '- Composed and decomposed letters are equal for all operators. For whole values this holds where a value uses only one of the',
  '  two forms. A `nested_key` is compared as it was sent.',
  '',
  '## Missing values',
  '',
  '- A negative operator also matches where there is no value: `is_not`, `not_in`, `not_contains`, `neq`, `key_not_equals`. Add',
  '  `is_not_null` or `is_not_empty`, where the field takes it, to leave those out.',
  '- All other operators match only where there is a value. `is_null` and `is_empty` ask for a missing value.',
  '- In nested fields null, `{}` and `[]` are no value. For `is_empty` and `is_not_empty` the empty text is none either, in nested',
  '  fields and in columns of a sheet.',
  '',
  '## Keys',
  '',
  '- Nested fields need a `nested_key`, except for `is_empty` and `is_not_empty`.',
  '- It is optional in `cell_status`, `cell_error` and `cell_verdict` (any column, or the one it names), `row_verdict` and `row_score`',
  '  (the row, or the step it names), and `span_output_values` (any path, or the one it names).',
  '- `trace_scores` compares any score, or the one it names. `scores` compares the score `default`, or the one it names; `is_null` asks',
  '  for any score.',
  '',
  '## Conditions on spans',
  '',
  '- In `AND` and `OR`, a condition on a span field matches a trace in which some span meets it.',
  '- In `AND` and `OR`, a negative operator matches a trace in which no span has the value.',
  '- `is_null` and `is_empty` are the exception: they match a trace in which some span has no value.',
  '- In `SPAN_AND` and `SPAN_OR`, all conditions are about one span, negative ones included.',
  '',
  '## Prompts',
  '',
  '- `prompt_id` takes the id of a prompt, its name, or its name with a version: `greeting v3`.',
  '- `prompt_name` takes the name alone.',
  '- Names of deleted prompts are found, too. After a prompt was renamed only its present name is.',
  '- `trace_prompt_versions` takes `id:version`, and `trace_workflow_versions` likewise.',
  '',
  '## Paths inside JSON',
  '',
  '- A `nested_key` is the name of a member, or a path of names joined by dots. A name may have dots itself.',
  '- Lists on a path are entered, and positions are left out: a path may have several values, of which one is enough.',
  '- A text that holds an object or a list as JSON is entered in metadata, and in attributes of spans and resources.',
  '- In metadata of logs, JSON of up to 65,536 characters is read, and its first 500 values are.',
  '- An attribute with just the name is preferred to a path that leads elsewhere.',
  '- A comparison is of texts: `true` and `42` equal a boolean and a number.',
  '',
  '## Answers with JSON',
  '',
  '- `output_text` and `span_output` of an answer that is a JSON object are both the answer as it was given and a line `path: value`',
  '  for each of its values. A condition may be met by either.',
  '- `output_text` of an answer with tool calls is what was said, then a line for the name and for every argument of each call.',
  '',
];

const ERRORS = `All errors of the server. \`error\` in the body is the code; codes never change. Invalid fields are answered with 422, which has a list of
faults in \`detail\` and no code; a few routes answer 400 \`validation_error\` instead. Routes of external ids and skill collections have only a
\`message\`, and \`trace_closed\` and \`trace_already_closed\` a sentence in \`error\`. SCIM answers in its own form.`;

const CONFIGURATION = `The server reads these environment variables at start. The client of PostgreSQL also reads those that begin with PG, for what DATABASE_URL leaves
out, and with a receiver of traces OpenTelemetry reads its own, such as OTEL_TRACES_SAMPLER. An empty variable counts as not set. For \`on\` and \`off\`
the words ${ON_OFF_WORDS} mean the same; in these and in \`LOG_LEVEL\` letter case does not matter. A process with a wrong setting does not start, and says
which setting that is and what is possible. \`npm start -- --help\` shows the settings of the launcher, such as \`DATA_DIR\` and \`DEMO\`.`;

const METRICS = `What \`/metrics\` shows, in the format of Prometheus. [How to watch](../how-to/watch.md) says how to read it. Counters only grow while a
process runs; a histogram has the series \`_bucket\`, \`_sum\` and \`_count\`.

Up to version 0.2.0 the metrics of the first table, other than \`tracesheet_info\`, had no prefix \`tracesheet_\`. \`/metrics\` shows those of 0.2.0 under their
former names as well, for one release: change dashboards and alerts of your own before the release after that.`;

/** Writes everything that is generated from the code: the OpenAPI document and the reference pages. */
async function main(): Promise<void> {
  const config = loadConfig({ DATABASE_URL: 'postgres://localhost/none', REDIS_URL: 'redis://localhost/0' });
  // Preview builds the module tree without creating anything, so no service is needed.
  const app = await NestFactory.create(AppModule.with({ config, works: false }), new FastifyAdapter(), {
    preview: true,
    logger: false,
  });
  writeFileSync('openapi.json', `${JSON.stringify(buildOpenApi(app), null, 2)}\n`);
  writeFileSync('docs/reference/errors.md', errorPage());
  writeFileSync('docs/reference/configuration.md', configurationPage());
  writeFileSync('docs/reference/events.md', eventPage());
  writeFileSync('docs/reference/senders.md', senderPage());
  writeFileSync('docs/reference/filters.md', filterPage());
  writeFileSync('docs/reference/metrics.md', metricsPage());
  writeFileSync('ARCHITECTURE.md', withDomains(readFileSync('ARCHITECTURE.md', 'utf8')));
}

/** The list of domains between the two marks. */
function withDomains(text: string): string {
  const lines = [...domains].map(
    ([folder, { holds, uses }]) =>
      `- [${folder}](src/${folder}/README.md): ${holds}.${uses.length > 0 ? ` Uses ${uses.join(', ')}.` : ''}`,
  );
  const list = `<!-- domains -->\n\n${lines.join('\n')}\n\n<!-- end of domains -->`;
  return text.replace(/<!-- domains -->[^]*?<!-- end of domains -->/, () => list);
}

function errorPage(): string {
  const rows = [...errorTables.values()]
    .sort((a, b) => a.definition.status - b.definition.status || (a.code < b.code ? -1 : 1))
    .map((error) => [error.code, error.definition.status, sampleMessage(error).replaceAll('|', '\\|')] as const)
    .map(([code, status, message]) => `| \`${code}\` | ${status} | ${message} |`);
  return page('Errors', ERRORS, ['| Code | Status | Message |', '| --- | --- | --- |', ...rows]);
}

function configurationPage(): string {
  const rows = Object.values(settings()).map(
    ({ env, fallback, description }) => `| \`${env}\` | ${fallback ? `\`${fallback}\`` : ''} | ${description} |`,
  );
  return page('Configuration', CONFIGURATION, ['| Variable | Default | Meaning |', '| --- | --- | --- |', ...rows]);
}

function metricsPage(): string {
  const metrics = new Metrics(counters(), gauges()).describe();
  const table = (some: DescribedMetric[]) => [
    '| Name | Type | Labels | Meaning | When to worry |',
    '| --- | --- | --- | --- | --- |',
    ...some.map(({ name, type, labels, help, worry }) => {
      const names = labels.map((label) => `\`${label}\``).join(', ');
      return `| \`${name}\` | ${type} | ${names} | ${sentence(help)} | ${worry} |`;
    }),
  ];
  return page('Metrics', METRICS, [
    '## Tracesheet',
    '',
    ...table(metrics.filter(({ isDefault }) => !isDefault)),
    '',
    '## The process and Node.js',
    '',
    ...table(metrics.filter(({ isDefault }) => isDefault)),
  ]);
}

const sentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`);

function eventPage(): string {
  const rowsOf = (types: Iterable<[string, string]>) =>
    [...types].sort(([a], [b]) => (a < b ? -1 : 1)).map(([type, description]) => `| \`${type}\` | ${description} |`);
  const reserved = [...RESERVED_EVENTS].filter(([type]) => !eventTypes.has(type));
  return page('Events', 'The events of the server. `GET /api/admin/v1/workspaces/{workspace_id}/events` lists them.', [
    '| Type | When |',
    '| --- | --- |',
    ...rowsOf(eventTypes),
    '',
    'Webhooks may subscribe to these as well. This server does not emit them yet, so nothing is sent for them:',
    '',
    '| Type | When |',
    '| --- | --- |',
    ...rowsOf(reserved),
  ]);
}

interface SearchField {
  field: string;
  class: FieldClass;
}

function filterPage(): string {
  const classes = [...FIELD_CLASSES].flatMap((fieldClass) =>
    operatorsOf(fieldClass).map((operator) => {
      const { expects } = ruleOf('', fieldClass, operator);
      const key = needsKey(fieldClass, operator) ? ', and `nested_key`' : '';
      return `| ${fieldClass} | \`${operator}\` | ${expects}${key} |`;
    }),
  );
  const logs = Object.entries(requestFields({ workspaceId: 0, promptIds: new Map() }));
  const spans = describeFields();
  return page('Filters', FILTERS, [
    ...section(
      'Request logs',
      logs.map(([field, { class: fieldClass }]) => ({ field, class: fieldClass })),
    ),
    ...section(
      'Traces',
      spans.filter(({ level }) => level === 'trace'),
    ),
    ...section(
      'Spans, in a search for traces',
      spans.filter(({ level }) => level === 'span'),
    ),
    ...section('Rows of a sheet', sheetRowFields()),
    ...FILTER_RULES,
    '## Operators',
    '',
    '| Fields that are | take | with the value |',
    '| --- | --- | --- |',
    ...classes,
  ]);
}

/** Fields of rows. Besides these, every column is a field by its title or id. */
function sheetRowFields(): SearchField[] {
  const others = Object.entries(ROW_FIELDS).map(([field, { class: fieldClass }]) => ({ field, class: fieldClass }));
  return [{ field: '<title or id of a column>', class: 'json' }, ...others];
}

function section(title: string, fields: SearchField[]): string[] {
  const searchable = fields.filter(({ class: fieldClass }) => fieldClass !== 'unavailable');
  const rows = searchable.map(({ field, class: fieldClass }) => {
    const operators = operatorsOf(fieldClass).map((operator) => `\`${operator}\``);
    return `| \`${field}\` | ${fieldClass} | ${operators.join(' ')} |`;
  });
  return [`## ${title}`, '', '| Field | is | Operators |', '| --- | --- | --- |', ...rows, ''];
}

function senderPage(): string {
  const code = (names: string[]) => names.map((name) => `\`${name}\``).join(', ');
  const table = (rows: [string, string[]][], titles: string) => [
    titles,
    '| --- | --- |',
    ...rows.map(([what, where]) => `| ${what} | ${code(where)} |`),
  ];
  const introduction = [
    'The attributes that conventions name for models, tokens, costs, messages, users and sessions. A span may follow several conventions at once: all of them are tried, and the',
    'first one with a value decides. Not listed are attributes that are read of all spans: `gen_ai.operation.name`, `gen_ai.tool.*`,',
    '`promptlayer.prompt.*`, `promptlayer.metadata.*`, `promptlayer.workflow.*`, `deployment.environment.name`, `error.type` and times to',
    'the first token.',
    'A total of tokens decides whether cached, cache-written and reasoning tokens lie inside the input and the output or beside',
    'them. A cost that is reported is kept as it is, all its parts added; otherwise the call is priced by its tokens. `priced_by` of',
    'a log has the source of its price.',
  ].join('\n');
  return page('Senders', introduction, [
    ...senderReferences().flatMap(({ name, senders, rows }) => [
      `## ${name}`,
      '',
      `${senders || 'A convention'}.`,
      '',
      ...(rows.length > 0 ? [...table(rows, '| Value | Attributes |'), ''] : []),
    ]),
    '## Names of counts and costs',
    '',
    'The names in place of `*` above, each in snake_case and in camelCase. A dot also leads into an object.',
    '',
    ...table(knownNames(), '| Value | Names |'),
  ]);
}

function page(title: string, introduction: string, lines: string[]): string {
  return [`# ${title}`, '', introduction, '', ...lines, '', 'Generated by `npm run docs`.', ''].join('\n');
}

await main();
process.exit(0);
