import { z } from 'zod';
import { toTools } from '../llm/messages/tool-definitions.js';
import { SchemaField } from '../platform/http/schema-field.js';
import { isObject, type JsonObject, type JsonValue } from '../platform/json.js';
import { Isolation } from '../platform/sandbox/expressions/isolation.js';
import { checkJsonSchema } from '../platform/sandbox/expressions/json-schema.js';
import { type CellOutcome, ColumnType, type ComputingColumnType } from '../grid/column-type/column-type.js';
import { evaluateTexts } from './evaluate-texts.js';
import { readToolCalls, TOOL_CALL_KEYS, type ToolCall, ToolCallsConfig } from './tool-calls.js';

const allowedTools = z.array(z.union([z.string(), z.looseObject({})])).max(1000);

class NoInvalidToolCallsConfig extends ToolCallsConfig {
  @SchemaField(allowedTools, {
    description:
      'Names of tools, or their definitions as any vendor takes them: then the arguments have to fit their JSON Schema.',
    example: ['search', 'answer'],
  })
  allowed_tools: JsonValue[];
}

/** An invalid call and its problem. */
type Offender = { tool: string; problem: string };

/** The JSON Schemas of the allowed tools by name; null for tools without one. */
type AllowedTools = Map<string, JsonObject | null>;

@ColumnType({
  name: 'NO_INVALID_TOOL_CALLS',
  title: 'Valid tool calls',
  description:
    'Whether every tool call of a trace or an answer names an allowed tool and has arguments that can be read.',
  kind: 'deterministic',
  group: 'check',
  output: 'boolean',
  config: NoInvalidToolCallsConfig,
  olderKeys: TOOL_CALL_KEYS,
})
export class NoInvalidToolCallsColumnType implements ComputingColumnType<NoInvalidToolCallsConfig> {
  constructor(private readonly isolation: Isolation) {}

  check({ allowed_tools }: NoInvalidToolCallsConfig): void {
    for (const schema of readAllowed(allowed_tools).values()) if (schema) checkJsonSchema(schema);
  }

  async computeMany(configs: NoInvalidToolCallsConfig[]): Promise<CellOutcome[]> {
    const found = await this.offenders(configs);
    return found.map((row) => ('error' in row ? row : { value: row.offenders.length === 0 }));
  }

  async explain(config: NoInvalidToolCallsConfig, _inputs: unknown, result: JsonValue): Promise<JsonValue> {
    if (result !== false) return null;
    const [row] = await this.offenders([config]);
    return 'error' in row! ? null : { offenders: row!.offenders };
  }

  private async offenders(configs: NoInvalidToolCallsConfig[]): Promise<CheckedRow[]> {
    const rows = configs.map(({ source }) => readToolCalls(source));
    const checked = await this.problems(rows.flat(), readAllowed(configs[0]!.allowed_tools));
    const outcomes = checked.values();
    return rows.map((calls) =>
      toCheckedRow(
        calls,
        calls.map(() => outcomes.next().value!),
      ),
    );
  }

  /** Lists the problems of each call, in sentences. Calls of the same tool are checked together. */
  private async problems(calls: ToolCall[], allowed: AllowedTools): Promise<CellOutcome[]> {
    const outcomes = calls.map(({ tool }): CellOutcome => ({ value: allowed.has(tool) ? [] : [NOT_ALLOWED] }));
    for (const [tool, schema] of allowed) {
      const told = calls.flatMap((call, index) => (call.tool === tool && call.arguments !== null ? [index] : []));
      if (told.length === 0) continue;
      // A tool without arguments may be called with none at all.
      const rows = told.map((index) => [calls[index]!.arguments!.trim() || '{}']);
      const found = await evaluateTexts(this.isolation, { name: 'json_schema', options: { schema } }, rows);
      told.forEach((index, place) => (outcomes[index] = found[place]!));
    }
    return outcomes;
  }
}

const NOT_ALLOWED = 'This tool is not allowed.';

type CheckedRow = { error: string } | { offenders: Offender[] };

function toCheckedRow(calls: ToolCall[], outcomes: CellOutcome[]): CheckedRow {
  const failed = outcomes.find((outcome) => 'error' in outcome);
  if (failed) return failed;
  const problems = outcomes.map((outcome) => (outcome as { value: string[] }).value[0]);
  const offenders = calls.flatMap(({ tool }, index) => (problems[index] ? [{ tool, problem: problems[index] }] : []));
  return { offenders };
}

/** Throws an Error that names an invalid tool. */
function readAllowed(given: JsonValue[]): AllowedTools {
  return new Map(given.flatMap((entry) => (typeof entry === 'string' ? [entry] : toTools(entry))).map(readTool));
}

function readTool(tool: JsonValue): [name: string, schema: JsonObject | null] {
  const definition = isObject(tool) && isObject(tool.function) ? tool.function : tool;
  const { name, parameters } = isObject(definition) ? definition : { name: definition };
  if (typeof name !== 'string' || name.trim() === '') throw new Error('every allowed tool needs a name.');
  return [name, isObject(parameters) ? parameters : null];
}
