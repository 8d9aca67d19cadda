import { ApiProperty } from '@nestjs/swagger';
import { CommonListQuery } from '../../entity-lists/index.js';
import { ExternalIdBody } from '../../external-ids/index.js';
import { OwnWorkspaceField } from '../../folders/index.js';
import {
  BodyNameField,
  MessageField,
  PathIdField,
  QueryIdField,
  SuccessField,
  WorkspaceIdField,
} from '../../platform/http/common-fields.js';
import {
  BooleanField,
  EnumField,
  IntegerField,
  JsonObjectField,
  ListField,
  TextField,
  UuidField,
} from '../../platform/http/fields.js';
import { BriefNumberedPage, PageField, PerPageField } from '../../platform/http/numbered-page.js';
import type { JsonObject } from '../../platform/json.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { REQUEST_FILTER_GROUP, REQUEST_SORTS, type RequestSort } from '../../requests/index.js';
import type { CopiedSheet } from '../../tables/index.js';
import type { DatasetGroup, DatasetVersion } from '../shared/dataset.entity.js';

/** The version number of drafts. */
const DRAFT_NUMBER = -1;

export class DatasetPath {
  @PathIdField(
    'The id of a version of a dataset, as `GET /api/public/v2/datasets` lists it. It is not the id of the group.',
  )
  dataset_id: number;
}

export class ListDatasetsQuery extends CommonListQuery {
  @PageField()
  page?: number;

  @PerPageField(10)
  per_page?: number;

  @QueryIdField('Only versions of this group.')
  dataset_group_id?: number;

  @QueryIdField('Only versions with request logs of this prompt.')
  prompt_id?: number;

  @QueryIdField('Only versions with request logs of this version of a prompt (by its id, not its number).')
  prompt_version_id?: number;

  @QueryIdField('Only versions with request logs of the version of a prompt that has this release label now.')
  prompt_label_id?: number;

  @QueryIdField('Only versions that this evaluation uses.')
  report_id?: number;

  @TextField({
    optional: true,
    query: true,
    maxLength: 255,
    description: 'Only versions of groups whose name contains this. Letter case does not matter.',
  })
  name?: string;

  @EnumField(['active', 'deleted', 'all'], {
    optional: true,
    query: true,
    default: 'active',
    description: '`active` leaves out deleted versions, `deleted` lists only those.',
  })
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
  @IntegerField({ description: 'The id of the group, which all versions of the dataset share.' })
  id: number;

  @TextField({ description: 'The name of the dataset.', example: 'Refund questions' })
  name: string;

  @WorkspaceIdField()
  workspace_id: number;

  @BooleanField({ description: 'True when the dataset was deleted.' })
  is_deleted: boolean;
}

export class DatasetFilterParams {
  @JsonObjectField({
    nullable: true,
    like: REQUEST_FILTER_GROUP,
    description: 'The filters that the request logs had to match; null when there were none.',
  })
  filter_group: JsonObject | null;

  @TextField({
    nullable: true,
    description: 'The words that had to occur in the input or output; null when there were none.',
  })
  q: string | null;

  @EnumField(REQUEST_SORTS, {
    nullable: true,
    description: 'The sort order of the logs; null for the default, newest first.',
  })
  sort_by: RequestSort | null;

  @EnumField(['asc', 'desc'], { nullable: true, description: 'The direction of `sort_by`; null for the default.' })
  sort_order: 'asc' | 'desc' | null;

  @IntegerField({ nullable: true, description: 'The largest number of logs; null when none was set.' })
  limit: number | null;

  @ListField('string', { nullable: true, description: 'The input variables that became columns; null when all did.' })
  variables_to_parse: string[] | null;
}

export class DatasetBody {
  @IntegerField({ description: 'The id of the version.' })
  id: number;

  @IntegerField({ description: 'The group that the version belongs to.' })
  dataset_group_id: number;

  @IntegerField({ description: 'The number of the version, counted from 1; -1 for a draft.' })
  version_number: number;

  @ListField('string', { description: 'The titles of the columns, in their order.' })
  column_names: string[];

  @ApiProperty({
    type: () => DatasetFilterParams,
    nullable: true,
    description: 'The search of request logs that the rows came from; null if they came from elsewhere.',
  })
  filter_params: DatasetFilterParams | null;

  @BooleanField({ description: 'True when the version was deleted.' })
  is_deleted: boolean;

  @IntegerField({ description: 'The API key that created the version; 0 for the operator.' })
  user_id: number;

  @ApiProperty({ type: () => DatasetGroupBody, description: 'The group that the version belongs to.' })
  dataset_group: DatasetGroupBody;

  @ApiProperty({ type: () => [ExternalIdBody], description: 'The external IDs of the group.' })
  external_ids: ExternalIdBody[];
}

export class DatasetsResponse extends BriefNumberedPage {
  @SuccessField()
  success: true;

  @MessageField('success')
  message: string;

  @ApiProperty({ type: () => [DatasetBody], description: 'The versions of the page, drafts included.' })
  datasets: DatasetBody[];
}

export class DatasetCellBody {
  @EnumField(['dataset'], { description: 'Always `dataset`.' })
  type: 'dataset';

  @TextField({
    description: 'The value as text. Numbers, lists and objects are written as JSON; a missing value is an empty text.',
  })
  value: string;
}

export class DatasetRowsResponse extends BriefNumberedPage {
  @SuccessField()
  success: true;

  @MessageField('success')
  message: string;

  @ListField('string', { description: 'The titles of the columns, in their order.' })
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

  @BodyNameField({
    description:
      'The title of the sheet, and of the table where one is created. By default the name of what is copied.',
    example: 'Refund questions',
  })
  title?: string | null;
}

export class CopyToTableResponse {
  @SuccessField()
  success: true;

  @MessageField()
  message: string;

  @UuidField({ description: 'The table that the sheet is in.' })
  table_id: string;

  @UuidField({ description: 'The new sheet. Its rows appear when the copy has ended.' })
  sheet_id: string;

  @TextField({ description: 'The operation that copies the rows.' })
  operation_id: string;

  @TextField({ description: 'The path that answers with the progress.' })
  status_url: string;
}

export function toCopyResponse({ tableId, sheetId, operationId }: CopiedSheet): CopyToTableResponse {
  return {
    success: true,
    message: 'The rows are being copied.',
    table_id: tableId,
    sheet_id: sheetId,
    operation_id: operationId,
    status_url: `/api/public/v2/tables/${tableId}/sheets/operations/${operationId}`,
  };
}

/** A version with its data from other tables. */
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
