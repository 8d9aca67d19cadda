import { z } from 'zod';
import { EnumField } from '../../platform/http/fields.js';
import { SchemaField } from '../../platform/http/schema-field.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { CellFailure, ColumnType, type ComputingColumnType } from '../grid/column-type/column-type.js';
import { SourceColumn } from '../grid/column-type/source-fields.js';
import { type Mode, matchesScenario, readScenarios, toolsOf } from './trajectory.js';
import { asJson } from '../grid/column-type/values.js';

const scenarios = z.array(z.union([z.array(z.string()), z.looseObject({ required_tools: z.array(z.string()) })]));

class TrajectoryConfig {
  @SourceColumn({ description: 'A column that holds a trace.' })
  trace_source: JsonValue;

  @SchemaField(scenarios, {
    optional: true,
    nullable: true,
    description: 'Lists of tool names; one of them should be what the trace did.',
    example: [['search', 'answer']],
  })
  accepted_scenarios?: JsonValue;

  @SourceColumn({
    optional: true,
    description: 'A column that holds such lists as JSON, instead of `accepted_scenarios`.',
  })
  expected_source?: JsonValue;

  @EnumField(['strict', 'non_strict'], {
    optional: true,
    default: 'strict',
    description: 'Exactly these tools in this order, or these in this order among others.',
  })
  mode?: Mode;
}

@ColumnType({
  name: 'TRAJECTORY',
  title: 'Trajectory',
  description: 'Whether a trace called the expected tools in the expected order.',
  kind: 'deterministic',
  output: 'boolean',
  config: TrajectoryConfig,
  normalize: withPlainMode,
})
export class TrajectoryColumnType implements ComputingColumnType<TrajectoryConfig> {
  check({ accepted_scenarios, expected_source }: TrajectoryConfig): void {
    if ((accepted_scenarios != null) === !!expected_source) {
      throw new Error('give either accepted_scenarios or expected_source.');
    }
    if (accepted_scenarios != null) readScenarios(accepted_scenarios);
  }

  compute({ trace_source, accepted_scenarios, expected_source, mode = 'strict' }: TrajectoryConfig): boolean {
    const expected = accepted_scenarios ?? asJson(expected_source);
    if (expected === null) throw new CellFailure('There is no expected scenario in this row.');
    const tools = toolsOf(asJson(trace_source));
    return readScenarios(expected).some((scenario) => matchesScenario(scenario, tools, mode));
  }

  explain({ trace_source, accepted_scenarios, expected_source }: TrajectoryConfig): JsonObject {
    const expected = accepted_scenarios ?? asJson(expected_source);
    return { observed: toolsOf(asJson(trace_source)), expected: readScenarios(expected) };
  }
}

function withPlainMode(config: JsonObject): JsonObject {
  if (config.mode === null) return { ...config, mode: 'strict' };
  return typeof config.mode === 'string' ? { ...config, mode: config.mode.toLowerCase() } : config;
}
