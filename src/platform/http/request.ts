import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiConsumes, ApiExtension } from '@nestjs/swagger';
import type { BodyOwner } from './body-budget.js';
import type { FormParts } from './form.js';
import type { ErrorShapeName } from './problem.filter.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route answers everybody. Credentials are not looked up, so it works without the database. */
    public?: boolean;
    /** The handler gets the raw bytes of the body. */
    rawBody?: boolean;
    /** The configuration value that limits the body. */
    bodyLimitOf?: 'ingestBodyLimit';
    /** The route ingests traces or calls, which programs send with a key and never browsers with a session. */
    ingests?: boolean;
    /** The JSON body may contain a file in base64, which the handler gets as a LargeText. */
    takesFile?: boolean;
    /** The body may be a form: JSON in one of its parts, a file in another. */
    takesForm?: FormParts;
    /** A file that is too large is refused with 400 instead of 413. */
    largeFileIs400?: boolean;
    /** Integers in the JSON body beyond 2^53 reach the handler as their digits. */
    exactIntegers?: boolean;
    errorShape?: ErrorShapeName;
    /** Requests that do not fit the schema are refused with 400 instead of 422. */
    invalidIs400?: boolean;
    /** The route is for identity providers, with a SCIM token. It takes no other credential. */
    forProviders?: boolean;
    /** Media types of JSON that the route takes besides `application/json`. */
    jsonTypes?: string[];
    /** The API key may come in the body. */
    acceptsBodyKey?: boolean;
    /** The route takes whatever no other route of its method takes, such as files. */
    isFallback?: boolean;
  }

  interface FastifyRequest {
    /** True when characters that cannot be stored were replaced in the body. */
    bodySanitized?: boolean;
    /** The file in a form. */
    uploadedFile?: Buffer;
    /** The size of the body as it was sent, in bytes; undefined without a body. */
    receivedBytes?: number;
    /** In bytes, if lower than the limit of the route. */
    bodyLimit?: number;
    /** The account of the body's memory. */
    bodyOwner?: BodyOwner;
    /** The error code of its answer. */
    refusedWith?: string;
  }
}

/** Merges into the Fastify configuration of a route: RouteConfig alone would replace the values of other decorators. */
export function routeConfig(config: Record<string, unknown>): MethodDecorator {
  return (target, key, descriptor) => {
    const handler = descriptor.value as object;
    const known = (Reflect.getMetadata(ROUTE_CONFIG_KEY, handler) as object | undefined) ?? {};
    RouteConfig({ ...known, ...config })(target, key, descriptor);
  };
}

/** The key under which @nestjs/platform-fastify stores the value of `@RouteConfig()`. */
const ROUTE_CONFIG_KEY = '__fastify_route_config__';

/** Opens a route to callers without an API key. All other routes are closed. */
export const Public = (): MethodDecorator =>
  applyDecorators(routeConfig({ public: true }), ApiExtension('x-public', true));

/** The handler gets a decompressed Buffer for any content type, limited by the ingestion limit. */
export const RawBody = (): MethodDecorator =>
  applyDecorators(
    routeConfig({ rawBody: true, bodyLimitOf: 'ingestBodyLimit', ingests: true }),
    ApiExtension('x-ingests', true),
  );

/** Marks a route that ingests calls. Its JSON body has the limit of ingestion bodies. */
export const IngestBody = (): MethodDecorator =>
  applyDecorators(routeConfig({ bodyLimitOf: 'ingestBodyLimit', ingests: true }), ApiExtension('x-ingests', true));

/** For other routes whose body may be as large as any ingestion body. */
export const LargeBody = (): MethodDecorator => routeConfig({ bodyLimitOf: 'ingestBodyLimit' });

/** For routes that store values of clients unchanged: an id that is a long integer would otherwise be rounded. */
export const ExactIntegers = (): MethodDecorator => routeConfig({ exactIntegers: true });

/** For routes whose JSON body may contain a file in base64, up to the size of import files. */
export const TakesFile = ({ largeFileIs400 = false } = {}): MethodDecorator =>
  routeConfig({ takesFile: true, largeFileIs400 });

/** For routes that take JSON, or a form with the same JSON in one part and a file in another. */
export const TakesForm = (parts: FormParts): MethodDecorator =>
  applyDecorators(
    routeConfig({ takesForm: parts }),
    ApiConsumes('application/json', 'multipart/form-data'),
    ApiExtension('x-form', parts),
  );

/** The file in the form, or null. */
export const UploadedFile = createParamDecorator(
  (_: unknown, context: ExecutionContext): Buffer | null =>
    context.switchToHttp().getRequest<FastifyRequest>().uploadedFile ?? null,
);

/** Facts about the transfer of a body. */
export interface Arrival {
  /** True when characters that cannot be stored were replaced. */
  sanitized: boolean;
  /** The announced size. */
  bytes: number;
}

export const BodyArrival = createParamDecorator((_: unknown, context: ExecutionContext): Arrival => {
  const { bodySanitized, headers } = context.switchToHttp().getRequest<FastifyRequest>();
  return { sanitized: bodySanitized ?? false, bytes: Number(headers['content-length'] ?? 0) };
});

/** For routes whose errors are `{success, message}` only. */
export const BriefErrors = (): MethodDecorator =>
  applyDecorators(routeConfig({ errorShape: 'brief' }), ApiExtension('x-brief-errors', true));

/** For routes whose contract has no 422: invalid requests are refused with 400. */
export const RefuseInvalidWith400 = (): MethodDecorator =>
  applyDecorators(routeConfig({ invalidIs400: true }), ApiExtension('x-invalid-is-400', true));

/**
 * For routes that end in `*`: the document shows the rest of the path as a parameter of this name, with an extension that allows
 * slashes.
 */
export const RestOfPath = (parameter: string): MethodDecorator => ApiExtension('x-rest-of-path', parameter);
