import { IntegerField } from '../platform/http/fields.js';
import type { JsonObject } from '../platform/json.js';
import { ColumnType, type ComputingColumnType } from '../grid/column-type/column-type.js';
import { readToolCalls, TOOL_CALL_KEYS, ToolCallsConfig } from './tool-calls.js';

class MaxToolCallsConfig extends ToolCallsConfig {
  @IntegerField({ min: 0, description: 'The largest number of tool calls that passes.', example: 5 })
  max_tool_calls: number;
}

@ColumnType({
  name: 'MAX_TOOL_CALLS',
  title: 'Few tool calls',
  description: 'Whether a trace or an answer has no more tool calls than it may have.',
  kind: 'deterministic',
  group: 'check',
  output: 'boolean',
  config: MaxToolCallsConfig,
  olderKeys: TOOL_CALL_KEYS,
})
export class MaxToolCallsColumnType implements ComputingColumnType<MaxToolCallsConfig> {
  compute({ source, max_tool_calls }: MaxToolCallsConfig): boolean {
    return readToolCalls(source).length <= max_tool_calls;
  }

  explain({ source }: MaxToolCallsConfig): JsonObject {
    const observed = readToolCalls(source).map(({ tool }) => tool);
    return { count: observed.length, observed };
  }
}
