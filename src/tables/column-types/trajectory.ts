import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { CellFailure } from '../grid/column-type/column-type.js';

/** strict: exactly this sequence. non_strict: this sequence with others in between. */
export type Mode = 'strict' | 'non_strict';

const TOOL = /^Tool:\s*(.*)$/s;

/** The tools that a span tree called, in the order they started. What is no trace called none. */
export function toolsOf(trace: JsonValue): string[] {
  const calls: { tool: string; start: string; spanId: string }[] = [];
  const waiting: JsonValue[] = [trace];
  for (let span = waiting.pop(); span !== undefined; span = waiting.pop()) {
    if (Array.isArray(span)) {
      for (const inner of span) waiting.push(inner);
    } else if (isObject(span)) {
      const tool = toolOf(span);
      if (tool !== null) calls.push({ tool, start: textOf(span.start), spanId: textOf(span.span_id) });
      if (Array.isArray(span.children)) waiting.push(span.children);
    }
  }
  return calls.sort((a, b) => order(a.start, b.start) || order(a.spanId, b.spanId)).map(({ tool }) => tool);
}

/** Lists of tool names, from JSON in any of the accepted forms. Throws a CellFailure for any other. */
export function readScenarios(expected: JsonValue): string[][] {
  const list = isObject(expected) ? expected.accepted_scenarios : expected;
  if (!Array.isArray(list) || list.length === 0) {
    throw new CellFailure('Expected scenarios should be a list of lists of tool names.');
  }
  return list.map((scenario) => {
    const tools = isObject(scenario) ? scenario.required_tools : scenario;
    if (!Array.isArray(tools) || !tools.every(isName)) {
      throw new CellFailure('Each expected scenario should be a list of tool names.');
    }
    return tools;
  });
}

/** A scenario without tools means that no tool is called. */
export function matchesScenario(scenario: string[], tools: string[], mode: Mode): boolean {
  if (scenario.length === 0 || mode === 'strict') {
    return scenario.length === tools.length && scenario.every((tool, index) => tool === tools[index]);
  }
  let next = 0;
  for (const tool of tools) if (tool === scenario[next]) next++;
  return next >= scenario.length;
}

function toolOf({ name }: JsonObject): string | null {
  const tool = typeof name === 'string' ? TOOL.exec(name)?.[1]!.trim() : undefined;
  return tool ?? null;
}

function isName(value: JsonValue): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function textOf(value: JsonValue | undefined): string {
  return value === null || value === undefined ? '' : String(value as string);
}

function order(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
