import { Inject } from '@nestjs/common';
import type { PromptReference } from '../llm/shared/prompt-reference.js';
import { CONFIG, type Config } from '../platform/config/config.js';
import { TextField } from '../platform/http/fields.js';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { Isolation } from '../platform/sandbox/expressions/isolation.js';
import { compileJsonPath, MAX_PATH } from '../platform/sandbox/expressions/json-path.js';
import type { CellContext } from '../grid/column-type/cell-context.js';
import {
  CellFailure,
  type CellResult,
  type CellRow,
  ColumnType,
  type ExternalColumnType,
} from '../grid/column-type/column-type.js';
import { readJson } from '../platform/read-json.js';
import { SourceMap } from '../grid/column-type/source-fields.js';
import { asJson, asText } from '../grid/column-type/values.js';
import { MANY_CALLS_MS } from './iteration-limits.js';
import { evaluateTexts } from './evaluate-texts.js';
import { checkLoop, LOOP_NAMES, LoopConfig, loopReferences, withOwnSources } from './loop-config.js';
import { LoopRuns } from './loop-runs.js';

class WhileLoopConfig extends LoopConfig {
  @TextField({
    optional: true,
    nullable: true,
    maxLength: MAX_PATH,
    description:
      'A JSONPath (RFC 9535) in the output of an iteration: the loop ends when what it finds is true, or anything but null, 0, false or empty. Without a path the loop ends when the output is empty, null or false.',
    example: '$.done',
  })
  end_condition_json_path?: string | null;

  @SourceMap({
    optional: true,
    specialNames: LOOP_NAMES,
    description:
      'A column (its title or its id) for each variable; or `loop_index`, which counts from 0, or `previous_outputs`, the list of what the iterations before gave.',
    example: { attempts: 'previous_outputs' },
  })
  variable_mappings?: JsonObject;
}

@ColumnType({
  name: 'WHILE_LOOP',
  title: 'Loop until',
  description:
    'Runs a prompt or a workflow again and again until its output says that it is done, or max_iterations are made.',
  kind: 'external',
  group: 'ask',
  output: 'json',
  config: WhileLoopConfig,
  normalize: withOwnSources,
  timeLimitMs: MANY_CALLS_MS,
})
export class WhileLoopColumnType implements ExternalColumnType<WhileLoopConfig> {
  constructor(
    private readonly loops: LoopRuns,
    private readonly isolation: Isolation,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  check(config: WhileLoopConfig): void {
    checkLoop(config);
    if (config.end_condition_json_path) compileJsonPath(config.end_condition_json_path);
  }

  prompts(config: WhileLoopConfig): PromptReference[] {
    return loopReferences(config);
  }

  async dependsOn(config: JsonObject, place: { workspaceId: number }): Promise<string> {
    return JSON.stringify([await this.loops.dependsOn(config, place), this.config.whileIterations]);
  }

  compute(row: CellRow<WhileLoopConfig>, context: CellContext): Promise<CellResult> {
    const { max_iterations, end_condition_json_path: path } = row.config;
    const [dependsOn, usualMost] = readJson(context.dependsOn) as [string, number];
    const isLast = async (output: JsonValue) => (path ? this.finds(path, output) : !isTruthy(output));
    return this.loops.run(row, { most: max_iterations ?? usualMost, isLast }, { ...context, dependsOn });
  }

  /** An output that is no JSON has nothing at any path. */
  private async finds(path: string, output: JsonValue): Promise<boolean> {
    if (!isJson(output)) return false;
    const evaluation = { name: 'json_path', options: { path, first: false } } as const;
    const [outcome] = await evaluateTexts(this.isolation, evaluation, [[output]]);
    if ('error' in outcome!)
      throw new CellFailure(`The end_condition_json_path could not be followed: ${outcome.error}`);
    return (outcome!.value as JsonValue[]).some(isTruthy);
  }
}

function isJson(value: JsonValue): boolean {
  try {
    return asJson(value) !== null;
  } catch {
    return false;
  }
}

/** Models write "false" and "null" as texts. */
const FALSY_TEXTS = new Set(['', 'false', 'null', 'none']);

function isTruthy(value: JsonValue): boolean {
  if (typeof value === 'string') return !FALSY_TEXTS.has(asText(value).trim().toLowerCase());
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}
