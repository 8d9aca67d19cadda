import { z } from 'zod';
import { EnumField } from '../platform/http/fields.js';
import { SchemaField } from '../platform/http/schema-field.js';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { CellFailure, ColumnType, type ComputingColumnType } from '../grid/column-type/column-type.js';
import { SourceColumn } from '../grid/column-type/source-fields.js';
import { asJson } from '../grid/column-type/values.js';
import { callsInTree } from './tool-calls.js';
import { matchesScenario, type Mode, readScenarios, withPlainMode } from './trajectory.js';

const scenarios = z.array(
  z.union([
    z.array(z.string()),
    z.looseObject({ required_tools: z.array(z.string()).describe('Names of tools, in order.') }),
  ]),
);

class TrajectoryConfig {
  @SourceColumn({ description: 'A column that holds a trace.' })
  trace_source: JsonValue;

  @SchemaField(scenarios, {
    optional: true,
    nullable: true,
    description: 'Lists of tool names. A trace passes when it called the tools of one of them.',
    example: [['search', 'answer']],
  })
  accepted_scenarios?: JsonValue;

  @SourceColumn({
    optional: true,
    description: 'A column that holds such lists as JSON, instead of `accepted_scenarios`.',
  })
  expected_source?: JsonValue;

  @EnumField(['strict', 'non_strict'], {
    advanced: true,
    optional: true,
    default: 'strict',
    description: '`strict`: exactly these tools in this order. `non_strict`: these in this order, among others.',
  })
  mode?: Mode;
}

@ColumnType({
  name: 'TRAJECTORY',
  title: 'Trajectory',
  description: 'Whether a trace called the expected tools in the expected order.',
  kind: 'deterministic',
  group: 'check',
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

  compute(config: TrajectoryConfig): boolean {
    const { expected, observed, mode } = compared(config);
    return expected.some((scenario) => matchesScenario(scenario, observed, mode));
  }

  explain(config: TrajectoryConfig): JsonObject {
    const { expected, observed } = compared(config);
    return { observed, expected };
  }
}

function compared({ trace_source, accepted_scenarios, expected_source, mode = 'strict' }: TrajectoryConfig) {
  const expected = accepted_scenarios ?? asJson(expected_source);
  if (expected === null) throw new CellFailure('There is no expected scenario in this row.');
  const observed = callsInTree(asJson(trace_source)).map(({ tool }) => tool);
  return { expected: readScenarios(expected), observed, mode };
}
