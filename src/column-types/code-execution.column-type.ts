import { EnumField, TextField } from '../platform/http/fields.js';
import { type JsonObject, setOwn } from '../platform/json.js';
import { CodeRunner, type Language, LANGUAGES } from '../platform/sandbox/code-runner.js';
import { MAX_CODE } from '../platform/sandbox/limits.js';
import type { CellContext } from '../grid/column-type/cell-context.js';
import {
  CellFailure,
  type CellResult,
  type CellRow,
  ColumnType,
  type ExternalColumnType,
  type LeftValue,
} from '../grid/column-type/column-type.js';

class CodeExecutionConfig {
  @TextField({
    minLength: 1,
    maxLength: MAX_CODE,
    description:
      'The body of a function that gets `data`: the values of the columns to the left by title. What it returns is the value of the cell, or else what it has assigned to `result`.',
    example: 'return {title: len(str(value)) for title, value in data.items()}',
  })
  code: string;

  @EnumField(LANGUAGES, { description: 'Language of `code`, in any letter case.', example: 'PYTHON' })
  language: Language;
}

/** The sandbox limits how long code runs. A cell may wait for its turn much longer than that. */
const LONGEST_WAIT_MS = 7 * 86_400_000;
/** Cells that one sandbox process gets at once when their code is fast. */
const CELLS_PER_PLACE = 10;

@ColumnType({
  name: 'CODE_EXECUTION',
  title: 'Code',
  description:
    'Runs Python or JavaScript over the columns to its left, in a sandbox without files and network and with limits on time and memory.',
  kind: 'external',
  group: 'compute',
  output: 'json',
  config: CodeExecutionConfig,
  aliases: ['CODE'],
  reads: 'left',
  reusesResults: false,
  timeLimitMs: LONGEST_WAIT_MS,
  cellsPerPlace: CELLS_PER_PLACE,
  normalize: withKnownLanguage,
})
export class CodeExecutionColumnType implements ExternalColumnType<CodeExecutionConfig> {
  constructor(private readonly runner: CodeRunner) {}

  check({ code }: CodeExecutionConfig): void {
    if (Buffer.byteLength(code) > MAX_CODE) throw new Error(`code: use at most ${MAX_CODE} bytes.`);
  }

  async compute({ config, left }: CellRow<CodeExecutionConfig>, context: CellContext): Promise<CellResult> {
    const owner = { workspaceId: context.workspaceId, keyId: null };
    const outcome = await this.runner.run(config, byTitle(left), owner, context.signal);
    if ('error' in outcome) throw new CellFailure(outcome.error);
    return outcome;
  }
}

function byTitle(left: LeftValue[]): JsonObject {
  const data: JsonObject = {};
  for (const { title, value } of left) setOwn(data, title, value);
  return data;
}

function withKnownLanguage(config: JsonObject): JsonObject {
  const { language } = config;
  return typeof language === 'string' ? { ...config, language: language.toUpperCase() } : config;
}
