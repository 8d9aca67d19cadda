import type { ExternalIdHolder } from './external-id-holder.js';
import { applyDecorators, Body, Controller, Delete, Get, Param, type Type } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccessErrors, type Caller, CurrentCaller } from '../access/index.js';
import { IdempotentPost } from '../platform/http/idempotency/idempotent-post.js';
import { MAX_ID, IntegerField, TextField, UuidField } from '../platform/http/fields.js';
import { BriefErrors } from '../platform/http/request.js';
import { Throws, Validates } from '../platform/http/throws.js';
import {
  AttachedExternalIdResponse,
  DetachedExternalIdResponse,
  ExternalIdBody,
  ExternalIdsResponse,
} from './external-ids.dto.js';
import { ExternalIdErrors } from './external-ids.errors.js';
import { ExternalIdsService } from './external-ids.service.js';

/** The three routes under the path of one kind of entity. */
export function externalIdsController(holder: ExternalIdHolder): Type<object> {
  const parameter = /:(\w+)/.exec(holder.path)![1]!;
  const idOf = (path: object) => (path as Record<string, number | string>)[parameter]!;

  class HolderPath {}
  const IdField = holder.idType === 'uuid' ? UuidField : IntegerField;
  IdField({ query: true, min: 1, max: MAX_ID })(HolderPath.prototype, parameter);

  class MappingPath extends HolderPath {
    @TextField({ query: true, minLength: 1, maxLength: 128 })
    source: string;

    @TextField({ query: true, minLength: 1, maxLength: 512 })
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

const AttachRoute = ({ type }: ExternalIdHolder): MethodDecorator =>
  applyDecorators(
    IdempotentPost(),
    ApiOperation({ summary: `Attach an external ID to a ${type}. Attaching it again changes nothing.` }),
    BriefErrors(),
    // An external ID belongs to one entity: the examples of different kinds must differ.
    ApiBody({ type: ExternalIdBody, examples: { one: { value: { source: 'crm', external_id: `${type}-7` } } } }),
    ApiCreatedResponse({ type: AttachedExternalIdResponse }),
    Validates(),
    Throws(
      ExternalIdErrors.external_id_holder_not_found,
      ExternalIdErrors.external_id_in_use,
      AccessErrors.permission_missing,
    ),
  );

const ListRoute = ({ type }: ExternalIdHolder): MethodDecorator =>
  applyDecorators(
    Get(),
    ApiOperation({ summary: `List the external IDs of a ${type}.` }),
    BriefErrors(),
    ApiOkResponse({ type: ExternalIdsResponse }),
    Validates(),
    Throws(ExternalIdErrors.external_id_holder_not_found),
  );

const DetachRoute = ({ type }: ExternalIdHolder): MethodDecorator =>
  applyDecorators(
    Delete(':source/:external_id'),
    ApiOperation({ summary: `Detach an external ID from a ${type}.` }),
    BriefErrors(),
    ApiOkResponse({ type: DetachedExternalIdResponse }),
    Validates(),
    Throws(
      ExternalIdErrors.external_id_holder_not_found,
      ExternalIdErrors.external_id_not_found,
      AccessErrors.permission_missing,
    ),
  );

/** The class name becomes part of the operation ids, which must differ between kinds of entities. */
function named(controller: Type<object>, type: string): Type<object> {
  const prefix = type.replace(/(?:^|\W)(\w)/g, (_, first: string) => first.toUpperCase());
  Object.defineProperty(controller, 'name', { value: `${prefix}${controller.name}` });
  return controller;
}
