import { IntegerField, MAX_ID, TextField } from '../../platform/http/fields.js';
import type { JsonObject } from '../../platform/json.js';
import { CellFailure, type CellResult, ColumnType, type ExternalColumnType } from '../grid/column-type/column-type.js';
import { SourceMap } from '../grid/column-type/source-fields.js';

export const NO_WORKFLOWS = 'Workflows are not available on this server yet.';

class WorkflowConfig {
  @IntegerField({ min: 1, max: MAX_ID, example: 1 })
  workflow_id: number;

  @IntegerField({ optional: true, nullable: true, min: 1, max: MAX_ID, description: 'The latest when it is left out.' })
  workflow_version_number?: number | null;

  @TextField({ optional: true, nullable: true, minLength: 1, maxLength: 255 })
  workflow_label?: string | null;

  @SourceMap({ description: 'A column (its title or its id) for each input of the workflow.' })
  input_mappings: JsonObject;
}

@ColumnType({
  name: 'WORKFLOW',
  title: 'Workflow',
  description: 'What a workflow gives for inputs from columns. Workflows are not available on this server yet.',
  kind: 'external',
  output: 'json',
  config: WorkflowConfig,
})
export class WorkflowColumnType implements ExternalColumnType<WorkflowConfig> {
  compute(): Promise<CellResult> {
    throw new CellFailure(NO_WORKFLOWS);
  }
}
