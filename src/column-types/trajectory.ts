import { isObject, type JsonObject, type JsonValue } from '../platform/json.js';
import { CellFailure } from '../grid/column-type/column-type.js';

/** strict: exactly this sequence. non_strict: this sequence with others in between. any_order: these, among others. */
export type Mode = 'strict' | 'non_strict' | 'any_order';

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
  if (mode === 'any_order') return missingTools(scenario, tools).length === 0;
  let next = 0;
  for (const tool of tools) if (tool === scenario[next]) next++;
  return next >= scenario.length;
}

/** The tools of a scenario that were called less often than it lists them. */
function missingTools(scenario: string[], tools: string[]): string[] {
  const left = new Map<string, number>();
  for (const tool of tools) left.set(tool, (left.get(tool) ?? 0) + 1);
  return scenario.filter((tool) => {
    const count = left.get(tool) ?? 0;
    left.set(tool, count - 1);
    return count <= 0;
  });
}

/** Returns a config with its mode in lower case; strict for null. */
export function withPlainMode(config: JsonObject): JsonObject {
  if (config.mode === null) return { ...config, mode: 'strict' };
  return typeof config.mode === 'string' ? { ...config, mode: config.mode.toLowerCase() } : config;
}

function isName(value: JsonValue): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
