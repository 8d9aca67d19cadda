import { EnumField, ListField } from '../platform/http/fields.js';
import type { JsonObject } from '../platform/json.js';
import { ColumnType, type ComputingColumnType } from '../grid/column-type/column-type.js';
import { readToolCalls, TOOL_CALL_KEYS, ToolCallsConfig } from './tool-calls.js';
import { matchesScenario, type Mode, withPlainMode } from './trajectory.js';

class ToolEvaluatorConfig extends ToolCallsConfig {
  @ListField('string', {
    picker: 'tools',
    maxItems: 1000,
    description: 'Names of tools. An empty list means that no tool should be called.',
    example: ['search', 'answer'],
  })
  expected_tools: string[];

  @EnumField(['strict', 'non_strict', 'any_order'], {
    advanced: true,
    optional: true,
    default: 'strict',
    description:
      '`strict`: exactly these tools in this order. `non_strict`: these in this order, among others. `any_order`: these in any order, among others.',
  })
  mode?: Mode;
}

@ColumnType({
  name: 'TOOL_EVALUATOR',
  title: 'Expected tools',
  description: 'Whether a trace or an answer calls the tools that are expected.',
  kind: 'deterministic',
  group: 'check',
  output: 'boolean',
  config: ToolEvaluatorConfig,
  olderKeys: TOOL_CALL_KEYS,
  normalize: withPlainMode,
})
export class ToolEvaluatorColumnType implements ComputingColumnType<ToolEvaluatorConfig> {
  check({ expected_tools }: ToolEvaluatorConfig): void {
    if (!expected_tools.every((tool) => tool.trim() !== '')) throw new Error('every expected tool needs a name.');
  }

  compute({ source, expected_tools, mode = 'strict' }: ToolEvaluatorConfig): boolean {
    return matchesScenario(expected_tools, toolsOf(source), mode);
  }

  explain({ source, expected_tools }: ToolEvaluatorConfig): JsonObject {
    return { observed: toolsOf(source), expected: expected_tools };
  }
}

const toolsOf = (source: ToolEvaluatorConfig['source']): string[] => readToolCalls(source).map(({ tool }) => tool);
