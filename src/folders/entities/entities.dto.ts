import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import * as is from 'class-validator';
import { ExternalIdBody } from '../../external-ids/index.js';
import { type Detail, ValidationProblem } from '../../platform/errors/problem.js';
import { toTime } from '../../platform/filters/values.js';
import { field } from '../../platform/http/field.js';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntegerField,
  JsonObjectField,
  ListField,
  TextField,
} from '../../platform/http/fields.js';
import { SortOrderField } from '../../platform/http/numbered-page.js';
import { FOLDER_ITEM_TYPES, type FolderItemType } from '../folder-item.js';
import { MAX_ID } from '../folders.dto.js';
import { OwnWorkspaceField } from '../own-workspace.js';
import { EntityIdField, EntityRef } from './entity-ref.js';
import { type Listing, SORT_KEYS, type SortKey } from './listing-sql.js';
import type { EntityDetails } from './listing.service.js';

/** Bodies of ordinary size hold more, but checking them would keep other requests waiting. */
const MAX_ENTITIES = 10_000;

const EntitiesField = (): PropertyDecorator => {
  const list = ListField(() => EntityRef, {
    maxItems: MAX_ENTITIES,
    description: 'What is meant. Naming an entity twice changes nothing.',
    example: [],
  });
  // Nested validation looks into lists in lists, and finds nothing wrong with empty ones.
  const isFlat = (value: unknown) => !Array.isArray(value) || !value.some(Array.isArray);
  const refusal = { message: 'Input should be a valid dictionary', context: { type: 'dict_type' } };
  return applyDecorators(list, is.ValidateBy({ name: 'flat', validator: { validate: isFlat } }, refusal));
};

export class MoveEntitiesRequest {
  @EntitiesField()
  entities: EntityRef[];

  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    max: MAX_ID,
    description: 'The folder to move them into. By default the top.',
  })
  folder_id?: number | null;

  @OwnWorkspaceField()
  workspace_id?: number | null;
}

export class DeleteEntitiesRequest {
  @EntitiesField()
  entities: EntityRef[];

  @BooleanField({ optional: true, nullable: true, default: false, description: 'Delete what is in folders as well.' })
  cascade?: boolean | null;

  @OwnWorkspaceField()
  workspace_id?: number | null;
}

export class MovedEntitiesResponse {
  @IntegerField({ description: 'How many entities were moved or deleted.', example: 2 })
  moved_count: number;
}

/** A moment in a query; a day alone means all of it. */
const MomentField = (description: string): PropertyDecorator => {
  const validate = (value: unknown) => toTime(value) !== null;
  const refusal = { message: 'Input should be a valid datetime', context: { type: 'datetime_parsing' } };
  const rule = is.ValidateBy({ name: 'moment', validator: { validate } }, refusal);
  return field(
    { optional: true, description },
    { validators: [rule], schema: { type: 'string', format: 'date-time' } },
  );
};

/** Types in a query: repeated, joined with commas, or both. */
const TypesField = (): PropertyDecorator => {
  const refusal = { message: `Input should be one of ${FOLDER_ITEM_TYPES.join(', ')}`, context: { type: 'enum' } };
  const toList = (value: unknown) =>
    [value].flat().flatMap((text) => (typeof text === 'string' ? text.split(',') : text));
  return field(
    {
      optional: true,
      description: 'Only these types; by default all but TABLE. Types this server does not have are found nowhere.',
    },
    {
      validators: [is.IsIn(FOLDER_ITEM_TYPES, { each: true, ...refusal })],
      schema: { type: 'array', items: { type: 'string', enum: [...FOLDER_ITEM_TYPES] } },
      convert: (value) => toList(value).filter((type) => type !== ''),
    },
  );
};

const DistanceField = (): PropertyDecorator => {
  const refusal = { message: 'Input should be a number greater than 0, at most 2', context: { type: 'float_range' } };
  const validate = (value: unknown) => typeof value === 'number' && value > 0 && value <= 2;
  return field(
    {
      optional: true,
      description: 'The largest distance of a semantic search: 0 is equal, from 1 on everything fits.',
    },
    {
      validators: [is.ValidateBy({ name: 'distance', validator: { validate } }, refusal)],
      schema: { type: 'number', exclusiveMinimum: 0, maximum: 2 } as object,
      convert: (value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value),
    },
  );
};

export class ListEntitiesQuery {
  @OwnWorkspaceField({ query: true })
  workspace_id?: number;

  @IntegerField({ optional: true, query: true, min: 1, max: MAX_ID, description: 'By default the top.' })
  folder_id?: number;

  @TypesField()
  filter_type?: FolderItemType[];

  @TextField({
    optional: true,
    query: true,
    maxLength: 1000,
    description:
      'Only what contains this in its name or content, names first. Letter case does not matter; nothing is a wildcard.',
  })
  search_query?: string;

  @BooleanField({ optional: true, query: true, default: false, description: 'Also what lies in folders below.' })
  flatten?: boolean;

  @BooleanField({ optional: true, query: true, default: false })
  include_metadata?: boolean;

  @ListField('string', { optional: true, query: true, description: 'Only what has all of these tags.' })
  tags?: string[];

  @BooleanField({
    optional: true,
    query: true,
    default: false,
    description:
      'The most relevant for `search_query` instead of what contains it. Compares words by the letters they share, over the latest updated 5,000 entities.',
  })
  semantic_search?: boolean;

  @IntegerField({ optional: true, query: true, min: 1, max: 500, default: 100 })
  semantic_search_top_k?: number;

  @DistanceField()
  semantic_search_threshold?: number;

  @TextField({
    optional: true,
    query: true,
    maxLength: 320,
    description: 'Only what was created by API keys of this owner. Letter case does not matter.',
  })
  created_by_email?: string;

  @MomentField('Inclusive.')
  created_after?: string;

  @MomentField('Inclusive.')
  created_before?: string;

  @MomentField('Inclusive.')
  updated_after?: string;

  @MomentField('Inclusive.')
  updated_before?: string;

  @TextField({ optional: true, query: true, maxLength: 128, description: 'Needs `external_id` as well.' })
  external_source?: string;

  @TextField({ optional: true, query: true, maxLength: 512, description: 'Needs `external_source` as well.' })
  external_id?: string;

  @EnumField(SORT_KEYS, {
    optional: true,
    query: true,
    description: 'By default folders come first, then names decide.',
  })
  sort_by?: SortKey;

  @SortOrderField()
  sort_order?: 'asc' | 'desc';
}

/** What a query asks for. Throws a ValidationProblem when it says something by halves. */
export function toListing(query: ListEntitiesQuery): Listing {
  assertComplete(query);
  const { folder_id: folderId = null, flatten = false, filter_type: types = [], tags = [] } = query;
  return {
    folderId,
    flatten,
    types,
    tags,
    search: query.search_query || null,
    withMetadata: query.include_metadata ?? false,
    createdByEmail: query.created_by_email,
    ...momentsIn(query),
    externalId: externalIdIn(query),
    sortBy: query.sort_by,
    sortOrder: query.sort_order,
    semantic: semanticIn(query),
  };
}

function momentsIn(query: ListEntitiesQuery) {
  return {
    createdAfter: toTime(query.created_after)?.first,
    createdBefore: toTime(query.created_before)?.last,
    updatedAfter: toTime(query.updated_after)?.first,
    updatedBefore: toTime(query.updated_before)?.last,
  };
}

function externalIdIn({ external_source: source, external_id }: ListEntitiesQuery): Listing['externalId'] {
  return source === undefined || external_id === undefined ? undefined : { source, external_id };
}

function semanticIn(query: ListEntitiesQuery): Listing['semantic'] {
  const { semantic_search: semantic, semantic_search_top_k: topK = 100, semantic_search_threshold: threshold } = query;
  return semantic ? { topK, threshold } : null;
}

function assertComplete(query: ListEntitiesQuery): void {
  const details: Detail[] = [];
  const miss = (name: string, reason: string) =>
    details.push({ loc: ['query', name], msg: `Field required ${reason}`, type: 'missing' });
  const { external_source: source, external_id: id } = query;
  if (source !== undefined && id === undefined) miss('external_id', 'with external_source');
  if (source === undefined && id !== undefined) miss('external_source', 'with external_id');
  if (query.semantic_search && !query.search_query?.trim()) miss('search_query', 'with semantic_search');
  if (details.length > 0) throw new ValidationProblem(details);
}

export class FolderEntityBody {
  @EntityIdField()
  id: number | string;

  @TextField()
  name: string;

  @EnumField(FOLDER_ITEM_TYPES)
  type: FolderItemType;

  @DateTimeField()
  created_at: string;

  @DateTimeField()
  updated_at: string;

  @IntegerField({ nullable: true, description: 'The folder it is in; null at the top.' })
  folder_id: number | null;

  @ApiProperty({
    type: 'array',
    items: { type: 'string' },
    description: 'The names of the folders it is in, from the top.',
  })
  path: string[];

  @JsonObjectField({ optional: true, description: 'What belongs to its type; only with `include_metadata`.' })
  metadata?: object;

  @ApiProperty({ type: () => [ExternalIdBody] })
  external_ids: ExternalIdBody[];
}

export class FolderEntitiesResponse {
  @ApiProperty({ type: () => [FolderEntityBody] })
  entities: FolderEntityBody[];
}

export function toEntityBody(entity: EntityDetails): FolderEntityBody {
  return {
    id: entity.idType === 'integer' ? Number(entity.id) : entity.id,
    name: entity.name,
    type: entity.type,
    created_at: entity.createdAt.toISOString(),
    updated_at: entity.updatedAt.toISOString(),
    folder_id: entity.folderId,
    path: entity.path,
    ...(entity.metadata && { metadata: entity.metadata }),
    external_ids: entity.externalIds,
  };
}
