import { IntegerField, MAX_ID, TextField } from '../../platform/http/fields.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import type { CellContext } from '../../grid/column-type/cell-context.js';
import {
  type CellResult,
  type CellRow,
  ColumnType,
  type ExternalColumnType,
} from '../../grid/column-type/column-type.js';
import { SourceMap } from '../../grid/column-type/source-fields.js';
import { NestedRuns } from './nested-runs.js';

const MAPPINGS = 'input_mappings';

class WorkflowConfig {
  @IntegerField({ picker: 'workflows', min: 1, max: MAX_ID, description: 'Id of the workflow to run.', example: 1 })
  workflow_id: number;

  @IntegerField({
    advanced: true,
    optional: true,
    nullable: true,
    min: 1,
    max: MAX_ID,
    description: 'Number of the version to run. By default the latest when a cell is computed.',
  })
  workflow_version_number?: number | null;

  @TextField({
    advanced: true,
    picker: 'labels',
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: 255,
    description: 'Release label of the version to run, instead of its number.',
  })
  workflow_label?: string | null;

  @SourceMap({ description: 'A column (its title or its id) for each input of the workflow.' })
  input_mappings: JsonObject;
}

/** The cell waits for the cells of a run. The limits of their column types are the ones that matter. */
const LONGEST_WAIT_MS = 7 * 86_400_000;

@ColumnType({
  name: 'WORKFLOW',
  title: 'Workflow',
  description: 'Runs a workflow with inputs from columns. The value is that of its first output node that succeeds.',
  kind: 'external',
  group: 'outside',
  output: 'json',
  config: WorkflowConfig,
  // Its nodes may have side effects.
  reusesResults: false,
  timeLimitMs: LONGEST_WAIT_MS,
})
export class WorkflowColumnType implements ExternalColumnType<WorkflowConfig> {
  constructor(private readonly runs: NestedRuns) {}

  check({ workflow_version_number: number, workflow_label: label }: WorkflowConfig): void {
    if (number && label) throw new Error('give either workflow_version_number or workflow_label, not both.');
  }

  async compute({ config, inputs }: CellRow<WorkflowConfig>, context: CellContext): Promise<CellResult> {
    const { [MAPPINGS]: values, ...choice } = config;
    const variables = inputs.flatMap(({ key, variable }) => (key === MAPPINGS && variable !== null ? variable : []));
    const mapped = new Map(variables.map((name): [string, JsonValue] => [name, values[name] ?? null]));
    return { value: await this.runs.run({ choice, mapped, key: MAPPINGS, part: '' }, context) };
  }
}
