import { applyDecorators } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { TextField } from './fields.js';
import { routeConfig } from './request.js';

/**
 * For routes of older clients, which send the API key as `api_key` in the JSON body and not in a header. A key in a header takes
 * precedence, even an invalid one. The request class names the key with `@BodyKeyField()`; the handler never gets it.
 */
export const AcceptsBodyKey = (): MethodDecorator =>
  applyDecorators(routeConfig({ acceptsBodyKey: true }), ApiExtension('x-body-key', true));

/** The key in the request class of such a route. */
export const BodyKeyField = (): PropertyDecorator =>
  TextField({
    optional: true,
    nullable: true,
    description: 'An API key, for clients that send no `X-API-KEY` header. The header takes precedence.',
  });

/**
 * Removes the key from a parsed body and returns it; undefined without one. A value that is no text stays, so that validation
 * refuses it.
 */
export function takeBodyKey(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const holder = body as { api_key?: unknown };
  if (!Object.hasOwn(holder, 'api_key') || typeof holder.api_key !== 'string') return undefined;
  const key = holder.api_key;
  delete holder.api_key;
  return key;
}
