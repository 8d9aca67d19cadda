import { ApiProperty } from '@nestjs/swagger';
import * as is from 'class-validator';
import { CommonListQuery } from '../../entity-lists/index.js';
import { ExternalIdBody, ShownExternalIdsField } from '../../external-ids/index.js';
import { CreatedAtField, QueryIdField, UpdatedAtField } from '../../platform/http/common-fields.js';
import { ValidationProblem } from '../../platform/errors/problem.js';
import { TagsQueryField } from '../../platform/http/tags-query.js';
import { field } from '../../platform/http/field.js';
import {
  MAX_ID,
  BooleanField,
  EnumField,
  IntegerField,
  JsonObjectField,
  ListField,
  TextField,
} from '../../platform/http/fields.js';
import { FOLDER_ITEM_TYPES, type FolderItemType } from '../shared/folder-item.js';
import { OwnWorkspaceField } from '../shared/own-workspace.js';
import { EntityIdField, EntityRef } from './entity-ref.js';
import type { Listing } from './listing-sql.js';
import type { EntityDetails } from './listing.service.js';

/** Bodies of ordinary size can contain more, but checking them would delay other requests. */
const MAX_ENTITIES = 10_000;

const EntitiesField = (example: { type: string; id: number }): PropertyDecorator =>
  ListField(() => EntityRef, {
    maxItems: MAX_ENTITIES,
    description: 'The entities to move or delete. Repetitions count once.',
    example: [example],
  });

export class MoveEntitiesRequest {
  @EntitiesField({ type: 'PROMPT', id: 1 })
  entities: EntityRef[];

  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    max: MAX_ID,
    description: 'The folder to move the entities into. Default: the top level.',
    example: 1,
  })
  folder_id?: number | null;

  @OwnWorkspaceField()
  workspace_id?: number | null;
}

export class DeleteEntitiesRequest {
  @EntitiesField({ type: 'FOLDER', id: 2 })
  entities: EntityRef[];

  @BooleanField({
    optional: true,
    nullable: true,
    default: false,
    description: 'Whether to delete what is in folders as well. Without it, folders have to be empty.',
  })
  cascade?: boolean | null;

  @OwnWorkspaceField()
  workspace_id?: number | null;
}

export class MovedEntitiesResponse {
  @IntegerField({ description: 'The number of entities that were moved or deleted.', example: 2 })
  moved_count: number;
}

/** Types in a query: repeated, joined with commas, or both. */
const TypesField = (): PropertyDecorator => {
  const refusal = { message: `Input should be one of ${FOLDER_ITEM_TYPES.join(', ')}`, context: { type: 'enum' } };
  const toList = (value: unknown) =>
    [value].flat().flatMap((text) => (typeof text === 'string' ? text.split(',') : text));
  return field(
    {
      optional: true,
      description:
        'Only entities of these types; by default all types except TABLE. `AB_TEST` and `INPUT_VARIABLE_SET` are accepted and match nothing: ' +
        'A/B releases are on labels of prompts, where `/api/public/v2/ab-releases` lists them, and this server has no sets of input ' +
        'variables. The rows of a dataset or a sheet hold values to run a prompt with.',
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
      description: 'The largest distance of a semantic search: 0 finds only equal texts, 1 and more finds everything.',
    },
    {
      validators: [is.ValidateBy({ name: 'distance', validator: { validate } }, refusal)],
      schema: { type: 'number', exclusiveMinimum: 0, maximum: 2 } as object,
      convert: (value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value),
    },
  );
};

export class ListEntitiesQuery extends CommonListQuery {
  @OwnWorkspaceField({ query: true })
  workspace_id?: number;

  @QueryIdField('The folder to list. Default: the top level.')
  folder_id?: number;

  @TypesField()
  filter_type?: FolderItemType[];

  @TextField({
    optional: true,
    query: true,
    maxLength: 1000,
    description:
      'Only entities with this text in their name or content; matches in names come first. Letter case does not matter, and there are no wildcards.',
  })
  search_query?: string;

  @BooleanField({
    optional: true,
    query: true,
    default: false,
    description: 'Whether to include what is in the folders below.',
  })
  flatten?: boolean;

  @BooleanField({ optional: true, query: true, default: false, description: 'Whether items have `metadata`.' })
  include_metadata?: boolean;

  @TagsQueryField('entities')
  tags?: string[];

  @BooleanField({
    optional: true,
    query: true,
    default: false,
    description:
      'Lists the entities that are most similar to `search_query` instead of those that contain it. Words are compared by the letters they share, among the 5,000 entities that were updated last.',
  })
  semantic_search?: boolean;

  @IntegerField({
    optional: true,
    query: true,
    min: 1,
    max: 500,
    default: 100,
    description: 'How many entities a semantic search answers at most.',
  })
  semantic_search_top_k?: number;

  @DistanceField()
  semantic_search_threshold?: number;
}

/** The listing that a query requests. Throws a ValidationProblem for incomplete parameters. */
export function toListing(query: ListEntitiesQuery): Listing {
  assertComplete(query);
  const { folder_id: folderId = null, flatten = false, filter_type: types = [], tags = [] } = query;
  return {
    folderId,
    flatten,
    types,
    tags: tags.filter((tag) => tag !== ''),
    search: query.search_query || null,
    withMetadata: query.include_metadata ?? false,
    common: query,
    semantic: semanticIn(query),
  };
}

function semanticIn(query: ListEntitiesQuery): Listing['semantic'] {
  const { semantic_search: semantic, semantic_search_top_k: topK = 100, semantic_search_threshold: threshold } = query;
  return semantic ? { topK, threshold } : null;
}

function assertComplete(query: ListEntitiesQuery): void {
  if (!query.semantic_search || query.search_query?.trim()) return;
  const msg = 'Field required with semantic_search';
  throw new ValidationProblem([{ loc: ['query', 'search_query'], msg, type: 'missing' }]);
}

export class FolderEntityBody {
  @EntityIdField({
    description: 'The id of the entity: an integer, or a UUID for tables. `type` and `id` together identify it.',
  })
  id: number | string;

  @TextField({ description: 'The name of the entity.' })
  name: string;

  @EnumField(FOLDER_ITEM_TYPES, { description: 'The type of the entity.' })
  type: FolderItemType;

  @CreatedAtField('the entity')
  created_at: string;

  @UpdatedAtField('the entity')
  updated_at: string;

  @IntegerField({ nullable: true, description: 'The folder the entity is in; null at the top level.' })
  folder_id: number | null;

  @ApiProperty({
    type: 'array',
    items: { type: 'string' },
    description: 'The names of the folders the entity is in, outermost first. Empty at the top level.',
  })
  path: string[];

  @JsonObjectField({
    optional: true,
    description: 'Details that depend on the type of the entity. Only with `include_metadata`.',
  })
  metadata?: object;

  @ShownExternalIdsField()
  external_ids: ExternalIdBody[];
}

export class FolderEntitiesResponse {
  @ApiProperty({
    type: () => [FolderEntityBody],
    description:
      'The entities. In a search the best matches come first, otherwise folders, then the rest by name, unless `sort_by` says otherwise.',
  })
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
