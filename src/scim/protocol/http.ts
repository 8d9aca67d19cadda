import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiExtension, ApiExtraModels } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EnumField, IntegerField, TextField } from '../../platform/http/fields.js';
import { routeConfig } from '../../platform/http/request.js';
import { SCIM_TYPE } from '../shared/error-shape.js';
import { ScimErrorBody } from './scim-operations.js';
import { isKnown } from './versions.js';

/** A route for identity providers: it needs a SCIM token, and takes and answers the JSON of SCIM. */
export const ForProviders = (): MethodDecorator =>
  applyDecorators(
    routeConfig({ forProviders: true, jsonTypes: [SCIM_TYPE] }),
    ApiExtension('x-provider', true),
    ApiExtraModels(ScimErrorBody),
  );

/** A request of a provider and its answer. */
export interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
}

export const CurrentExchange = createParamDecorator((_: unknown, context: ExecutionContext): Exchange => {
  const http = context.switchToHttp();
  return { request: http.getRequest<FastifyRequest>(), reply: http.getResponse<FastifyReply>() };
});

/** The URL below which resources are, as the client sees it. */
export const baseOf = ({ request: { protocol, host } }: Exchange): string => `${protocol}://${host}/scim/v2`;

/** Context of a change by a provider, beside its body. */
export interface ProviderRequest {
  requestId: string;
  ifMatch?: string;
}

export const providerOf = ({ request: { id, headers } }: Exchange): ProviderRequest => ({
  requestId: id,
  ifMatch: headers['if-match'],
});

/** `application/json` for clients that only accept that. */
export function setType({ request, reply }: Exchange): void {
  const accept = request.headers.accept ?? '';
  const isPlain = accept.includes('application/json') && !accept.includes(SCIM_TYPE);
  void reply.type(`${isPlain ? 'application/json' : SCIM_TYPE}; charset=utf-8`);
}

/** Sends a resource with its ETag, or 304 to a client that has this version. `shown` has the requested attributes. */
export function sendResource<T extends object>(
  exchange: Exchange,
  { meta }: { meta: { version: string; location: string } },
  shown: T,
): T | undefined {
  const { request, reply } = exchange;
  void reply.header('etag', meta.version);
  if (request.method === 'POST') void reply.header('location', meta.location);
  if (request.method === 'GET' && isKnown(request.headers['if-none-match'], meta.version)) {
    void reply.status(304);
    return undefined;
  }
  setType(exchange);
  return shown;
}

const NAMES = 'names of attributes, separated by commas';

export class ShownQuery {
  @TextField({ optional: true, query: true, maxLength: 4000, description: `Only these attributes: ${NAMES}.` })
  attributes?: string;

  @TextField({ optional: true, query: true, maxLength: 4000, description: `All but these attributes: ${NAMES}.` })
  excludedAttributes?: string;
}

export class ScimListQuery extends ShownQuery {
  @TextField({
    optional: true,
    query: true,
    description: 'A filter as RFC 7644 describes it, such as `userName eq "sam@example.com"`.',
  })
  filter?: string;

  @IntegerField({
    optional: true,
    query: true,
    default: 1,
    description: 'The place of the first result, from 1. Smaller numbers mean 1.',
  })
  startIndex?: number;

  @IntegerField({
    optional: true,
    query: true,
    default: 100,
    description: 'The most results of this page: up to 200. 0 only counts.',
  })
  count?: number;

  @TextField({
    optional: true,
    query: true,
    maxLength: 255,
    default: 'id',
    description: 'The attribute to sort by: id, externalId, userName, displayName, meta.created or meta.lastModified.',
  })
  sortBy?: string;

  @EnumField(['ascending', 'descending'], {
    optional: true,
    query: true,
    default: 'ascending',
    description: 'The order.',
  })
  sortOrder?: 'ascending' | 'descending';
}

export const MOST_RESULTS = 200;
const USUAL_RESULTS = 100;

export interface ScimPage {
  startIndex: number;
  offset: number;
  limit: number;
}

/** Numbers out of range mean the nearest one in it (RFC 7644, section 3.4.2.4). */
export function pageOf({ startIndex = 1, count = USUAL_RESULTS }: ScimListQuery): ScimPage {
  const first = Math.max(1, startIndex);
  return { startIndex: first, offset: first - 1, limit: Math.min(Math.max(0, count), MOST_RESULTS) };
}
