import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/platform/database/migrate.js';
import { startTestServices } from './services.js';
import { collectedStatements } from './statements/check-collected.js';

declare module 'vitest' {
  interface ProvidedContext {
    adminUrl: string;
    redisUrl: string;
    /** Folder in which the test processes write their statements; null when no check needs them. */
    statementsFolder: string | null;
  }
}

/** Starts PostgreSQL and Redis once and migrates the template that every test database is a copy of. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const services = await startTestServices();
  const admin = new pg.Client(services.adminUrl);
  await admin.connect();
  await admin.query('CREATE DATABASE template_tracesheet');
  await migrate(services.databaseUrl('template_tracesheet'));
  await admin.query('ALTER DATABASE template_tracesheet WITH is_template true allow_connections false');
  await admin.end();
  project.provide('adminUrl', services.adminUrl);
  project.provide('redisUrl', services.redisUrl);
  const statements = process.env.CHECK_WORKSPACES ? collectedStatements(services.adminUrl) : null;
  project.provide('statementsFolder', statements?.folder ?? null);
  return async () => {
    try {
      await statements?.check();
    } finally {
      await services.stop();
    }
  };
}
