import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { buildOpenApi } from '../../src/openapi.js';
import { domains } from '../../src/platform/domain.js';
import type { Answer } from './client.js';

/** Holds answers against the OpenAPI document of an app. */
export interface ContractChecker {
  /** Throws when the route, the status or the body is not in the document; fields it does not name count as wrong. */
  check(method: string, url: string, answer: Answer): void;
}

type Schema = Record<string, unknown>;
interface Operation {
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>;
  security?: unknown[];
  parameters?: { name: string; schema?: Schema }[];
  'x-rest-of-path'?: string;
}

/** Answers that any route can give and that come before its handler. They have one of the shapes of errors. */
const EVERYWHERE = new Set([400, 401, 404, 405, 413, 415, 429, 431, 503]);
const ERROR_BODY: Schema = {
  anyOf: ['ErrorBody', 'BriefErrorBody', 'ScimErrorBody'].map((name) => ({ $ref: `#/components/schemas/${name}` })),
};

/** Checkers by the names of their domains: tests may add one. */
const known = new Map<string, ContractChecker>();

/** The document of a server without extensions is always the same: its schemas are compiled once for all files of a process. */
export function contractCheckerFor(app: NestFastifyApplication, isExtended: boolean): ContractChecker {
  if (isExtended) return createContractChecker(app);
  const key = [...domains.keys()].join();
  const checker = known.get(key) ?? createContractChecker(app);
  known.set(key, checker);
  return checker;
}

function createContractChecker(app: NestFastifyApplication): ContractChecker {
  const document = closeObjects(JSON.parse(JSON.stringify(buildOpenApi(app)))) as {
    paths: Record<string, Record<string, Operation>>;
    components: object;
  };
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema({ $id: 'api', components: document.components });
  const routes = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      pattern: toPattern(path, operation),
      strict: toPattern(path, operation, '\\d+'),
      path,
      method,
      operation,
    })),
  );
  // Fixed segments win over parameters, and those over the rest of a path.
  const rank = ({ path, operation }: { path: string; operation: Operation }) =>
    path.split('{').length + (operation['x-rest-of-path'] ? 100 : 0);
  routes.sort((a, b) => rank(a) - rank(b));
  const compiled = new Map<string, ValidateFunction>();
  const validator = (schema: Schema): ValidateFunction => {
    const text = JSON.stringify(schema);
    const validate = compiled.get(text) ?? ajv.compile(rebase(schema));
    compiled.set(text, validate);
    return validate;
  };

  return {
    check(method, url, answer) {
      const path = url.split('?')[0]!;
      const fitting = routes.filter((each) => each.method === method.toLowerCase() && each.pattern.test(path));
      // Text in place of a numeric id may be part of a name that contains slashes.
      const route = fitting.find((each) => each.strict.test(path)) ?? fitting[0];
      if (!route) {
        if (answer.status === 404 || answer.status === 405 || /^\/(docs|openapi|metrics|console|$)/.test(path)) return;
        throw new Error(`${method} ${path} answered ${answer.status} but is not in the OpenAPI document.`);
      }
      const response = route.operation.responses[answer.status];
      if (!response && !EVERYWHERE.has(answer.status)) {
        throw new Error(
          `${method} ${route.path} does not document the status ${answer.status}: ${JSON.stringify(answer.body)}`,
        );
      }
      const documented = response && !isOfRouter(answer.body);
      const { content } = response ?? {};
      const schema = documented
        ? (content?.['application/json'] ?? content?.['application/scim+json'])?.schema
        : ERROR_BODY;
      if (!schema || typeof answer.body === 'string') return;
      const validate = validator(schema);
      if (!validate(answer.body)) {
        throw new Error(
          `${method} ${route.path} ${answer.status}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(answer.body).slice(0, 2000)}`,
        );
      }
    },
  };
}

/** Errors before a route is found have the standard shape on any path. */
function isOfRouter(body: unknown): boolean {
  return ['route_not_found', 'method_not_allowed', 'url_unreadable'].includes(
    String((body as { error?: unknown } | null)?.error),
  );
}

function toPattern(path: string, operation: Operation, integer = '[^/]+'): RegExp {
  const isInteger = (name: string) =>
    operation.parameters?.some((parameter) => parameter.name === name && parameter.schema?.type === 'integer');
  const pattern = path.replace(/\{([^}]+)\}/g, (_, name: string) => (isInteger(name) ? integer : '[^/]+'));
  // Such a parameter may hold slashes.
  return new RegExp(operation['x-rest-of-path'] ? `^${pattern.replace(/\[\^\/\]\+$/, '.+')}$` : `^${pattern}$`);
}

/** An object schema that does not say otherwise allows no further fields. */
function closeObjects(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closeObjects);
  if (typeof node !== 'object' || node === null) return node;
  const copy: Schema = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closeObjects(value)]));
  if (copy.type === 'object' && copy.properties && copy.additionalProperties === undefined && !copy.allOf) {
    copy.additionalProperties = false;
  }
  return copy;
}

/** Points references into the registered document. */
function rebase(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/')) as Schema;
}
