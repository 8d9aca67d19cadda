import { ApiProperty } from '@nestjs/swagger';
import { CommonListQuery } from '../../entity-lists/index.js';
import { ExternalIdBody } from '../../external-ids/index.js';
import { OwnWorkspaceField } from '../../folders/index.js';
import {
  BooleanField,
  EnumField,
  IntegerField,
  JsonObjectField,
  ListField,
  MAX_ID,
  TextField,
  UuidField,
} from '../../platform/http/fields.js';
import { BriefNumberedPage, PageField, PerPageField } from '../../platform/http/numbered-page.js';
import type { JsonObject } from '../../platform/json.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { REQUEST_FILTER_GROUP, REQUEST_SORTS, type RequestSort } from '../../requests/index.js';
import type { DatasetGroup, DatasetVersion } from '../dataset.entity.js';

/** What drafts have in place of a number. */
const DRAFT_NUMBER = -1;

const IdField = (description: string): PropertyDecorator =>
  IntegerField({ optional: true, query: true, min: 1, max: MAX_ID, description });

export class DatasetPath {
  @IntegerField({ query: true, min: 1, max: MAX_ID })
  dataset_id: number;
}

export class ListDatasetsQuery extends CommonListQuery {
  @PageField()
  page?: number;

  @PerPageField(10)
  per_page?: number;

  @IdField('Only versions of this group.')
  dataset_group_id?: number;

  @IdField('Only versions with request logs of this prompt.')
  prompt_id?: number;

  @IdField('Only versions with request logs of this version of a prompt (by its id, not its number).')
  prompt_version_id?: number;

  @IdField('Only versions with request logs of the version of a prompt that has this release label now.')
  prompt_label_id?: number;

  @IdField('Only versions that this evaluation uses.')
  report_id?: number;

  @TextField({
    optional: true,
    query: true,
    maxLength: 255,
    description: 'Only versions of groups whose name contains this. Letter case does not matter.',
  })
  name?: string;

  @EnumField(['active', 'deleted', 'all'], { optional: true, query: true, default: 'active' })
  status?: 'active' | 'deleted' | 'all';

  @OwnWorkspaceField({ query: true })
  workspace_id?: number;
}

@Closed()
export class ListDatasetRowsQuery {
  @PageField()
  page?: number;

  @PerPageField(10)
  per_page?: number;

  @TextField({
    optional: true,
    query: true,
    maxLength: 1000,
    description: 'Only rows in which a cell contains this text. Letter case does not matter.',
  })
  q?: string;

  @OwnWorkspaceField({ query: true })
  workspace_id?: number;
}

export class DatasetGroupBody {
  @IntegerField()
  id: number;

  @TextField({ example: 'Refund questions' })
  name: string;

  @IntegerField()
  workspace_id: number;

  @BooleanField()
  is_deleted: boolean;
}

export class DatasetFilterParams {
  @JsonObjectField({ nullable: true, like: REQUEST_FILTER_GROUP })
  filter_group: JsonObject | null;

  @TextField({ nullable: true })
  q: string | null;

  @EnumField(REQUEST_SORTS, { nullable: true })
  sort_by: RequestSort | null;

  @EnumField(['asc', 'desc'], { nullable: true })
  sort_order: 'asc' | 'desc' | null;

  @IntegerField({ nullable: true })
  limit: number | null;

  @ListField('string', { nullable: true })
  variables_to_parse: string[] | null;
}

export class DatasetBody {
  @IntegerField()
  id: number;

  @IntegerField()
  dataset_group_id: number;

  @IntegerField({ description: 'From 1; -1 while it is a draft.' })
  version_number: number;

  @ListField('string')
  column_names: string[];

  @ApiProperty({
    type: () => DatasetFilterParams,
    nullable: true,
    description: 'The search of request logs that it was made by; null when its rows were chosen otherwise.',
  })
  filter_params: DatasetFilterParams | null;

  @BooleanField()
  is_deleted: boolean;

  @IntegerField({ description: 'The id of the API key that created it.' })
  user_id: number;

  @ApiProperty({ type: () => DatasetGroupBody })
  dataset_group: DatasetGroupBody;

  @ApiProperty({ type: () => [ExternalIdBody], description: 'Those of its group.' })
  external_ids: ExternalIdBody[];
}

export class DatasetsResponse extends BriefNumberedPage {
  @ApiProperty({ example: true })
  success: true;

  @TextField({ example: 'success' })
  message: string;

  @ApiProperty({ type: () => [DatasetBody] })
  datasets: DatasetBody[];
}

export class DatasetCellBody {
  @EnumField(['dataset'])
  type: 'dataset';

  @TextField({ description: 'As text: numbers, lists and objects are JSON, and nothing is the empty text.' })
  value: string;
}

export class DatasetRowsResponse extends BriefNumberedPage {
  @ApiProperty({ example: true })
  success: true;

  @TextField({ example: 'success' })
  message: string;

  @ListField('string')
  columns: string[];

  @ApiProperty({
    type: 'array',
    items: { type: 'array', items: { $ref: '#/components/schemas/DatasetCellBody' } },
    description: 'A cell for every column, in the order of `columns`.',
  })
  rows: DatasetCellBody[][];
}

export class CopyToTableRequest {
  @UuidField({
    optional: true,
    nullable: true,
    description: 'The table that gets the sheet. By default a new one is created.',
  })
  table_id?: string | null;

  @TextField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: 255,
    description:
      'The title of the sheet, and of the table where one is created. By default the name of what is copied.',
    example: 'Refund questions',
  })
  title?: string | null;
}

export class CopyToTableResponse {
  @ApiProperty({ example: true })
  success: true;

  @TextField()
  message: string;

  @UuidField()
  table_id: string;

  @UuidField()
  sheet_id: string;

  @TextField()
  operation_id: string;

  @TextField({ description: 'The path that answers with the progress.' })
  status_url: string;
}

/** A version with what is stored elsewhere about it. */
export interface DatasetDetails {
  version: DatasetVersion;
  group: DatasetGroup;
  titles: string[];
  externalIds: ExternalIdBody[];
}

export function toDatasetBody({ version, group, titles, externalIds }: DatasetDetails): DatasetBody {
  return {
    id: version.id,
    dataset_group_id: group.id,
    version_number: version.number ?? DRAFT_NUMBER,
    column_names: titles,
    filter_params: version.filterParams as DatasetFilterParams | null,
    is_deleted: version.deletedAt !== null,
    user_id: version.createdBy ?? 0,
    dataset_group: toDatasetGroupBody(group),
    external_ids: externalIds,
  };
}

export function toDatasetGroupBody({ id, name, workspaceId, deletedAt }: DatasetGroup): DatasetGroupBody {
  return { id, name, workspace_id: workspaceId, is_deleted: deletedAt !== null };
}
