import { IntegerField, TextField } from '../platform/http/fields.js';
import type { JsonObject, JsonValue } from '../platform/json.js';
import type { CellContext } from '../grid/column-type/cell-context.js';
import {
  type CellEstimate,
  CellFailure,
  type CellResult,
  type CellRow,
  ColumnType,
  type ExternalColumnType,
} from '../grid/column-type/column-type.js';
import { SourceColumn, SourceMap } from '../grid/column-type/source-fields.js';
import { DefaultModels, toEngine } from './default-models.js';
import { JUDGE, type Verdict } from './judge.prompt.js';
import { EngineConfig } from './prompt-config.js';
import { placeholdersIn, questionsOf, withValues } from './questions.js';
import { quoted, StructuredAnswers } from './structured-answers.js';

const MAX_PROMPT = 100_000;
const MAX_REPEAT = 10;

class LlmAssertionConfig extends EngineConfig {
  @SourceColumn({ description: 'The column that is judged.' })
  source: JsonValue;

  @TextField({
    template: 'variable_mappings',
    optional: true,
    nullable: true,
    maxLength: MAX_PROMPT,
    description:
      'A question that is answered with yes or no, or the text of a JSON list of questions. `{name}` stands for the value of the column that `variable_mappings` gives the name.',
    example: 'Is the answer polite?',
  })
  prompt?: string | null;

  @SourceColumn({
    advanced: true,
    optional: true,
    description: 'A column that holds the question or questions; wins over `prompt`.',
  })
  prompt_source?: JsonValue;

  @SourceMap({ optional: true, description: 'A column (its title or its id) for each placeholder of the questions.' })
  variable_mappings?: JsonObject;

  @IntegerField({
    advanced: true,
    optional: true,
    nullable: true,
    min: 2,
    max: MAX_REPEAT,
    description:
      'How often each question is judged. The most frequent answer counts; `judgements` has all of them, which shows the consistency of the judge.',
  })
  repeat?: number | null;
}

@ColumnType({
  name: 'LLM_ASSERTION',
  title: 'LLM judge',
  description:
    'Asks a model whether something holds for the source: for every question whether it does, and why. Questions are judged one by one.',
  kind: 'external',
  group: 'ask',
  output: 'json',
  judges: true,
  config: LlmAssertionConfig,
  aliases: ['SCORE'],
  revision: JUDGE.revision,
})
export class LlmAssertionColumnType implements ExternalColumnType<LlmAssertionConfig> {
  constructor(
    private readonly models: DefaultModels,
    private readonly answers: StructuredAnswers,
  ) {}

  check({ prompt, prompt_source }: LlmAssertionConfig): void {
    if (prompt_source) return;
    if (!prompt?.trim()) throw new Error('give the question as prompt, or as prompt_source.');
    questionsOf(prompt);
  }

  dependsOn(config: JsonObject, { workspaceId }: { workspaceId: number }): Promise<string> {
    return this.models.language(config, workspaceId);
  }

  async estimate(
    row: CellRow<LlmAssertionConfig>,
    { workspaceId }: { workspaceId: number },
  ): Promise<CellEstimate | null> {
    const questions = readQuestions(row);
    const engine = toEngine(await this.models.language({ ...row.config } as JsonObject, workspaceId));
    const asked = { source: quoted(row.config.source), question: withValues(questions[0]!, mappedValues(row)) };
    const once = await this.answers.estimate(JUDGE, engine, asked, workspaceId);
    const times = (tokens: number) => tokens * questions.length * (row.config.repeat ?? 1);
    return once && { ...once, inputTokens: times(once.inputTokens), outputTokens: times(once.outputTokens) };
  }

  async compute(row: CellRow<LlmAssertionConfig>, context: CellContext): Promise<CellResult> {
    const questions = readQuestions(row);
    const values = mappedValues(row);
    const missing = questions.flatMap(placeholdersIn).find((name) => !values.has(name));
    if (missing !== undefined) {
      throw new CellFailure(`The prompt asks for "${missing}", which variable_mappings maps to no column.`);
    }
    const engine = toEngine(context.dependsOn);
    const model = { engine, credential: row.config.credential || null };
    const source = quoted(row.config.source);
    const verdicts: [string, JsonObject][] = [];
    const times = row.config.repeat ?? 1;
    for (const [index, question] of questions.entries()) {
      const asked = { source, question: withValues(question, values) };
      const ask = () => this.answers.ask(JUDGE, model, asked, context);
      // Each answer is stored, so that none is paid for twice.
      const judge = (time: number) =>
        questions.length * times === 1 ? ask() : context.part(`question ${index + 1}, answer ${time}`, ask);
      verdicts.push([question, toJson(await repeatedly(judge, times))]);
    }
    return { value: Object.fromEntries(verdicts) };
  }
}

function readQuestions({ config, inputs }: CellRow<LlmAssertionConfig>): string[] {
  const isFromColumn = inputs.some(({ key }) => key === 'prompt_source');
  try {
    return questionsOf(isFromColumn ? config.prompt_source : config.prompt);
  } catch (error) {
    throw new CellFailure(`The prompt cannot be used: ${(error as Error).message}`);
  }
}

function mappedValues({ config, inputs }: CellRow<LlmAssertionConfig>): Map<string, JsonValue> {
  const names = inputs.flatMap(({ key, variable }) =>
    key === 'variable_mappings' && variable !== null ? variable : [],
  );
  return new Map(names.map((name) => [name, config.variable_mappings?.[name] ?? null]));
}

/** Asks for all verdicts on a question one after the other: some caches would answer simultaneous equal calls alike. */
async function repeatedly(judge: (time: number) => Promise<Verdict>, times: number): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  while (verdicts.length < times) verdicts.push(await judge(verdicts.length + 1));
  return verdicts;
}

/** Returns the verdict of the majority, with the reasoning that came first. A tie counts as no. */
function toJson(verdicts: Verdict[]): JsonObject {
  const judgements = verdicts.map(({ value }) => value);
  const isTrue = judgements.filter(Boolean).length * 2 > judgements.length;
  const { value, reasoning, citation } = verdicts.find((verdict) => verdict.value === isTrue)!;
  return { value, reasoning, ...(citation && { citation }), ...(judgements.length > 1 && { judgements }) };
}
