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
  return openPublicRoutes(document);
}

/** Routes marked `x-public` need no key, and the document says so. */
function openPublicRoutes(document: OpenAPIObject): OpenAPIObject {
  for (const path of Object.values(document.paths)) {
    for (const operation of Object.values(path) as Record<string, unknown>[]) {
      if (operation['x-public']) operation.security = [];
      delete operation['x-public'];
    }
  }
  return document;
}
