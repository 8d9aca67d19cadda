import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

const DESCRIPTION = `Send traces, find the request logs they became, work on them in sheets.

Press **Authorize** and paste an API key; every example can then be run as it stands.`;

/** The OpenAPI 3.1 document of the running application, extensions included. */
export function buildOpenApi(app: INestApplication): OpenAPIObject {
  const base = new DocumentBuilder()
    .setTitle('Tracesheet')
    .setDescription(DESCRIPTION)
    .setVersion('1.0.0')
    .setOpenAPIVersion('3.1.0')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-API-KEY', description: 'A key of your workspace.' }, 'api_key')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'The admin token of the installation.' }, 'operator')
    .addSecurityRequirements('api_key')
    .build();
  const document = SwaggerModule.createDocument(app, base, {
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
  });
  for (const operation of operationsOf(document)) completeOperation(operation);
  return document;
}

type Operation = Record<string, unknown> & { responses: Record<string, unknown> };

function operationsOf(document: OpenAPIObject): Operation[] {
  return Object.values(document.paths).flatMap((path) => Object.values(path) as Operation[]);
}

const REFUSED = {
  description: '`api_key_invalid`',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' } } },
};

/** Routes marked `x-public` need no key; all others refuse a caller without one. */
function completeOperation(operation: Operation): void {
  if (operation['x-public']) operation.security = [];
  else operation.responses['401'] ??= REFUSED;
  delete operation['x-public'];
}
