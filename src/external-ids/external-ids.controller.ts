import type { ExternalIdHolder } from './external-id-holder.js';
import { applyDecorators, Body, Controller, Delete, Get, Param, type Type } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccessErrors, type Caller, CurrentCaller } from '../access/index.js';
import { IdempotentPost } from '../platform/http/idempotency/idempotent-post.js';
import { MAX_ID, IntegerField, UuidField } from '../platform/http/fields.js';
import { BriefErrors } from '../platform/http/request.js';
import { Throws } from '../platform/http/throws.js';
import {
  AttachedExternalIdResponse,
  DetachedExternalIdResponse,
  ExternalIdBody,
  ExternalIdField,
  ExternalIdsResponse,
  SourceField,
} from './external-ids.dto.js';
import { ExternalIdErrors } from './external-ids.errors.js';
import { ExternalIdsService } from './external-ids.service.js';

/** The three routes under the path of one kind of entity. */
export function externalIdsController(holder: ExternalIdHolder): Type<object> {
  const parameter = /:(\w+)/.exec(holder.path)![1]!;
  const idOf = (path: object) => (path as Record<string, number | string>)[parameter]!;

  class HolderPath {}
  const IdField = holder.idType === 'uuid' ? UuidField : IntegerField;
  IdField({ query: true, min: 1, max: MAX_ID, description: `The id of the ${nounOf(holder)}.` })(
    HolderPath.prototype,
    parameter,
  );

  class MappingPath extends HolderPath {
    @SourceField()
    source: string;

    @ExternalIdField()
    external_id: string;
  }

  @ApiTags(holder.tag)
  @Controller(`${holder.path}/external-ids`)
  class ExternalIdsController {
    constructor(private readonly externalIds: ExternalIdsService) {}

    @AttachRoute(holder)
    async attach(
      @CurrentCaller() caller: Caller,
      @Param() path: HolderPath,
      @Body() { source, external_id }: ExternalIdBody,
    ): Promise<AttachedExternalIdResponse> {
      await this.externalIds.attach(caller, holder, idOf(path), { source, external_id });
      return { success: true, external_id: { source, external_id } };
    }

    @ListRoute(holder)
    async list(@CurrentCaller() caller: Caller, @Param() path: HolderPath): Promise<ExternalIdsResponse> {
      return { success: true, external_ids: await this.externalIds.list(caller, holder, idOf(path)) };
    }

    @DetachRoute(holder)
    async detach(@CurrentCaller() caller: Caller, @Param() path: MappingPath): Promise<DetachedExternalIdResponse> {
      const { source, external_id } = path;
      await this.externalIds.detach(caller, holder, idOf(path), { source, external_id });
      return { success: true };
    }
  }

  return named(ExternalIdsController, holder.type);
}

const AttachRoute = (holder: ExternalIdHolder): MethodDecorator =>
  applyDecorators(
    IdempotentPost(),
    ApiOperation({
      summary: `Attach an external ID to a ${nounOf(holder)}.`,
      description:
        'Lists then find the entity by `external_source` and `external_id`. An entity can have several external IDs. ' +
        'Attaching one again changes nothing; one that belongs to another entity is a 409 `external_id_in_use`.',
    }),
    BriefErrors(),
    // An external ID belongs to one entity: the examples of different kinds must differ.
    ApiBody({ type: ExternalIdBody, examples: { one: { value: { source: 'crm', external_id: `${holder.type}-7` } } } }),
    ApiCreatedResponse({ type: AttachedExternalIdResponse }),
    Throws(
      ExternalIdErrors.external_id_holder_not_found,
      ExternalIdErrors.external_id_in_use,
      AccessErrors.permission_missing,
    ),
  );

const ListRoute = (holder: ExternalIdHolder): MethodDecorator =>
  applyDecorators(
    Get(),
    ApiOperation({
      summary: `List the external IDs of a ${nounOf(holder)}.`,
      description: 'All of them, in the order they were attached.',
    }),
    BriefErrors(),
    ApiOkResponse({ type: ExternalIdsResponse }),
    Throws(ExternalIdErrors.external_id_holder_not_found),
  );

const DetachRoute = (holder: ExternalIdHolder): MethodDecorator =>
  applyDecorators(
    Delete(':source/:external_id'),
    ApiOperation({
      summary: `Detach an external ID from a ${nounOf(holder)}.`,
      description:
        'The entity does not change, and the pair can be attached to another one. 404 `external_id_not_found`: the pair is not attached here.',
    }),
    BriefErrors(),
    ApiOkResponse({ type: DetachedExternalIdResponse }),
    Throws(
      ExternalIdErrors.external_id_holder_not_found,
      ExternalIdErrors.external_id_not_found,
      AccessErrors.permission_missing,
    ),
  );

/** The name of such an entity in descriptions. */
const nounOf = ({ type }: ExternalIdHolder): string => type.replaceAll('_', ' ');

/** The class name becomes part of the operation ids, which must differ between kinds of entities. */
function named(controller: Type<object>, type: string): Type<object> {
  const prefix = type.replace(/(?:^|\W)(\w)/g, (_, first: string) => first.toUpperCase());
  Object.defineProperty(controller, 'name', { value: `${prefix}${controller.name}` });
  return controller;
}
