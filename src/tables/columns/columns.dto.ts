import { ApiProperty } from '@nestjs/swagger';
import { z } from 'zod';
import {
  BooleanField,
  EnumField,
  IntegerField,
  JsonObjectField,
  ListField,
  NumberField,
  TextField,
  UuidField,
} from '../../platform/http/fields.js';
import { COLUMN_ID, COLUMN_TITLE, COLUMN_TYPE, SYSTEM_COLUMNS } from '../shared/field-descriptions.js';
import {
  BodyIndexField,
  BodyNameField,
  CreatedAtField,
  MessageField,
  SuccessField,
  UpdatedAtField,
  WorkspaceIdField,
} from '../../platform/http/common-fields.js';
import { CursorQuery, LimitField, ListEnvelope, type Order, OrderField } from '../../platform/http/list.js';
import type { JsonObject } from '../../platform/json.js';
import { CellBody } from '../cells/cells.dto.js';
import { CELL_METRICS, type CellMetric } from '../../grid/column-type/execution-metadata.column-type.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import type { ColumnEdge, SheetColumn } from '../../grid/columns/column.entity.js';
import type { GivenDependency } from '../../grid/columns/references.js';
import { metadataSource } from '../../grid/columns/metadata-source.js';

/** The component of the document that describes the configs of columns. */
const CONFIG = 'ColumnConfig';

z.record(z.string(), z.unknown().meta({ id: 'ConfigValue', description: 'Any JSON value.' })).meta({
  id: CONFIG,
  description: 'Config of a column. `GET /api/public/v2/column-types` has the JSON Schema for each type.',
});

export class DependencyRequest {
  @UuidField({ description: 'Id of the column that this one depends on. It must be in the same sheet.' })
  column_id: string;

  @TextField({
    optional: true,
    nullable: true,
    default: 'value',
    description: 'Every value is treated as `value`, the only type of dependency.',
  })
  reference_type?: string | null;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 255,
    description: 'The key of the config that names this dependency.',
  })
  config_key?: string | null;

  @JsonObjectField({
    optional: true,
    nullable: true,
    description: 'The place in a list (`position`) or map (`variable_name`) of the config.',
  })
  config_meta?: JsonObject | null;
}

/** The name of a column type in a request. */
export const ColumnTypeField = (options: { description: string; example?: string }): PropertyDecorator =>
  TextField({ optional: true, nullable: true, minLength: 1, maxLength: 64, ...options });

/** The config of a new column. */
export const ColumnConfigField = (): PropertyDecorator =>
  JsonObjectField({
    like: CONFIG,
    optional: true,
    nullable: true,
    description: 'The config that the type needs; columns are named by title or id.',
    example: { source: 'output', value: 'refund' },
  });

export const DependenciesField = (description: string): PropertyDecorator =>
  ListField(() => DependencyRequest, { optional: true, nullable: true, maxItems: 1000, description });

export class CreateColumnRequest {
  @TextField({
    minLength: 1,
    maxLength: 255,
    description: 'Title of the column, shown in the header of the sheet. It need not be unique.',
    example: 'Mentions refund',
  })
  title: string;

  @ColumnTypeField({
    description:
      'A name from `GET /api/public/v2/column-types`, in any letter case. Default: the type that `config.type` names, otherwise TEXT.',
    example: 'CONTAINS',
  })
  type?: string | null;

  @ColumnConfigField()
  config?: JsonObject | null;

  @DependenciesField(
    'Columns that this one depends on. Those that `config` names need not be listed; further ones make this column stale with them.',
  )
  dependencies?: DependencyRequest[] | null;

  @BooleanField({
    optional: true,
    nullable: true,
    description:
      'Whether the column holds a result of the sheet: a sheet without a configured score is scored by its output columns. By default true for computed columns.',
  })
  is_output_column?: boolean | null;

  @BooleanField({
    optional: true,
    nullable: true,
    default: true,
    description:
      'Whether the cells of a computed column are queued at once. Otherwise they stay stale until somebody recalculates them.',
  })
  compute?: boolean | null;
}

/** Examples in the API document: the common fields, and one for each type with a different config. */
export const NEW_COLUMNS = {
  contains: {
    summary: 'A check',
    value: { title: 'Mentions refund', type: 'CONTAINS', config: { source: 'output', value: 'refund' } },
  },
  endpoint: {
    summary: 'An HTTP endpoint, which gets all columns to the left',
    value: {
      title: 'Class',
      type: 'ENDPOINT',
      config: { url: 'https://api.example.com/classify', headers: { 'X-Team': 'support' }, timeout: 30 },
    },
  },
  mcp: {
    summary: 'A tool of a registered MCP server',
    value: {
      title: 'Order',
      type: 'MCP',
      config: { mcp_server_id: 1, tool_name: 'find_order', input_mappings: { query: 'question' } },
    },
  },
  mcp_url: {
    summary: 'A tool of an MCP server that is not registered',
    value: {
      title: 'Order',
      type: 'MCP',
      config: {
        server_url: 'https://tools.example.com/mcp',
        tool_name: 'find_order',
        input_mappings: { query: 'question' },
      },
    },
  },
};

export class ColumnPath extends SheetPath {
  @UuidField({ query: true, description: COLUMN_ID })
  column_id: string;
}

export class UpdateColumnRequest {
  @BodyNameField({
    description: 'A new title. Null leaves it as it is. Configs that name the column by its title follow.',
    example: 'Mentions a refund',
  })
  title?: string | null;

  @ColumnTypeField({
    description:
      'A new type for the column. Values stay until they are computed again; a column that becomes text keeps them.',
  })
  type?: string | null;

  @JsonObjectField({
    like: CONFIG,
    optional: true,
    nullable: true,
    description: 'A new config, which replaces the old one as a whole.',
  })
  config?: JsonObject | null;

  @DependenciesField('New dependencies, which replace those that the config does not name.')
  dependencies?: DependencyRequest[] | null;

  @BooleanField({
    optional: true,
    nullable: true,
    description: 'Whether the column holds a result of the sheet. Null leaves it as it is.',
  })
  is_output_column?: boolean | null;

  @BodyIndexField(
    'The position the column moves to among the columns of people, from 0; the others shift. A position beyond the last one means the end.',
  )
  position?: number | null;
}

export class ListColumnsQuery extends CursorQuery {
  @LimitField(100)
  limit?: number;

  @OrderField('asc')
  order?: Order;

  @BooleanField({ optional: true, query: true, default: false, description: SYSTEM_COLUMNS })
  include_system_columns?: boolean;
}

export class DependencyBody {
  @UuidField({ description: 'Id of the column that this one depends on.' })
  column_id: string;

  @TextField({ description: 'Always `value`.', example: 'value' })
  reference_type: string;

  @TextField({
    nullable: true,
    description: 'The key of the config that names the column; null for a dependency that the config does not name.',
  })
  config_key: string | null;

  @JsonObjectField({
    nullable: true,
    description:
      'The place in a list (`position`) or map (`variable_name`) of the config; null where the key holds one column.',
  })
  config_meta: JsonObject | null;
}

export class ColumnBody {
  @UuidField({ description: COLUMN_ID })
  id: string;

  @UuidField({ description: 'Id of the sheet that the column belongs to.' })
  sheet_id: string;

  @WorkspaceIdField()
  workspace_id: number;

  @TextField({ description: COLUMN_TITLE, example: 'Mentions refund' })
  title: string;

  @TextField({ description: COLUMN_TYPE, example: 'CONTAINS' })
  type: string;

  @JsonObjectField({
    like: CONFIG,
    description:
      'The config as it was given, with columns under their present titles; an empty object for text columns.',
  })
  config: JsonObject;

  @NumberField({ description: 'Columns are shown in ascending order.' })
  position_rank: number;

  @BooleanField({
    description:
      'Whether the column holds a result of the sheet: a sheet without a configured score is scored by its output columns.',
  })
  is_output_column: boolean;

  @ApiProperty({
    type: () => [DependencyBody],
    description: 'The columns that this one is computed from, and those that were given as dependencies.',
  })
  dependencies: DependencyBody[];

  @CreatedAtField('the column')
  created_at: string;

  @UpdatedAtField('the column')
  updated_at: string;

  @BooleanField({
    optional: true,
    description: 'True for columns that the server keeps itself; absent for all others.',
  })
  is_system?: true;

  @UuidField({ optional: true, description: 'Id of the column that this one measures; absent unless `is_system`.' })
  source_column_id?: string;

  @EnumField(CELL_METRICS, {
    optional: true,
    description:
      'The measured quantity: the cost in US dollars, or the latency in milliseconds; absent unless `is_system`.',
  })
  metric_key?: CellMetric;
}

export class CreateColumnResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => ColumnBody, description: 'The new column.' })
  column: ColumnBody;

  @ApiProperty({ type: () => [CellBody], description: 'The cells of the new column, in row order.' })
  cells: CellBody[];

  @IntegerField({ description: 'The version of the sheet afterwards.' })
  version: number;
}

export class UpdateColumnResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => ColumnBody, description: 'The column afterwards.' })
  column: ColumnBody;

  @BooleanField({
    description:
      'Whether stored values became stale. They stay stale until they are recalculated, unless the sheet has `auto_recalculate`.',
  })
  requires_recalculation: boolean;

  @ListField('uuid', { description: 'Ids of the columns whose cells became stale.' })
  affected_column_ids: string[];

  @IntegerField({ description: 'The version of the sheet afterwards.' })
  version: number;
}

export class DeleteColumnResponse {
  @SuccessField()
  success: true;

  @MessageField()
  message: string;

  @IntegerField({ description: 'Number of stale cells in the sheet afterwards.' })
  stale_count: number;

  @IntegerField({ description: 'The version of the sheet afterwards.' })
  version: number;
}

export class ColumnsResponse extends ListEnvelope {
  @ApiProperty({ type: () => [ColumnBody], description: 'The columns of this page, by default from the left.' })
  data: ColumnBody[];
}

export function toColumnBody(column: SheetColumn, edges: ColumnEdge[]): ColumnBody {
  const source = metadataSource(column);
  return {
    id: column.id,
    sheet_id: column.sheetId,
    workspace_id: column.workspaceId,
    title: column.title,
    type: column.type,
    config: column.config,
    position_rank: column.positionRank,
    is_output_column: column.isOutputColumn,
    dependencies: edges.map((edge) => ({
      column_id: edge.sourceId,
      reference_type: 'value',
      config_key: edge.configKey,
      config_meta: edge.configMeta,
    })),
    created_at: column.createdAt.toISOString(),
    updated_at: column.updatedAt.toISOString(),
    ...(source && { is_system: true, source_column_id: source.sourceColumnId, metric_key: source.metric }),
  };
}

export function toDependency({ column_id, config_key, config_meta }: DependencyRequest): GivenDependency {
  return { columnId: column_id, configKey: config_key ?? null, configMeta: config_meta ?? null };
}
