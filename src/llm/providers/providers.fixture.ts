import { Module, type Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ModelProviders } from './model-providers.js';
import { ProvidersModule } from './providers.module.js';

/** The registry of the real module, with further plugins from outside if wanted. */
export async function startProviders(...plugins: Provider[]): Promise<ModelProviders> {
  class ExtendedModule {}
  Module({ imports: [ProvidersModule], providers: plugins })(ExtendedModule);
  const app = await NestFactory.createApplicationContext(ExtendedModule, { logger: false, abortOnError: false });
  const providers = app.get(ModelProviders, { strict: false });
  await app.close();
  return providers;
}

/** The model providers of an installation. */
export const providers = await startProviders();
