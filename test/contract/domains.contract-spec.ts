import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Controller, Get, Module } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { afterEach, describe, expect, it } from 'vitest';
import { DataSource, Entity, PrimaryColumn } from 'typeorm';
import { Can, type Permission } from '../../src/access/index.js';
import { loadConfig } from '../../src/composition.js';
import { integer } from '../../src/platform/config/settings.js';
import { defineDomain, type Domain, domains } from '../../src/platform/domain.js';
import { documentOf, operationsOf } from '../support/operations.js';
import { TestApp } from '../support/test-app.js';

@Entity('tiny_things')
class TinyThing {
  @PrimaryColumn('bigint', { name: 'workspace_id', primaryKeyConstraintName: 'tiny_things_pkey' })
  workspaceId: number;
}

@ApiTags('Tiny things')
@Controller('tiny-things')
class TinyController {
  @Get()
  @ApiOperation({ summary: 'Say how tiny they are.' })
  @Can('TINY_EDIT' as Permission)
  @ApiOkResponse()
  size(): object {
    return { size: 1 };
  }
}

@Module({ controllers: [TinyController] })
class TinyModule {}

const tiny = {
  holds: 'What a test needs',
  uses: [],
  module: () => TinyModule,
  entities: [TinyThing],
  tags: [{ name: 'Tiny things', description: 'They are tiny.', order: 35 }],
  permissions: ['TINY_EDIT'],
  settings: { tinySize: integer('TINY_SIZE', { fallback: '7', min: 1, max: 9, description: 'How tiny.' }) },
  counters: {
    tinyThings: { name: 'tracesheet_tiny_things_total', help: 'Tiny things.', labelNames: [], worry: 'They grow.' },
  },
} satisfies Domain;

const URLS = { DATABASE_URL: 'postgres://x/y', REDIS_URL: 'redis://x' };

describe('a domain', () => {
  let app: TestApp | undefined;
  afterEach(async () => {
    domains.delete('tiny');
    await app?.stop();
    app = undefined;
  });

  it('is part of the server as soon as its manifest is known', async () => {
    defineDomain('tiny', tiny);
    app = await TestApp.own({ works: false });

    expect(await app.client.get('/tiny-things')).toEqual({ size: 1 });
    expect(app.config).toMatchObject({ tinySize: 7 });
    expect(app.app.get(DataSource).hasMetadata(TinyThing)).toBe(true);
    const document = documentOf(app);
    const tags = document.tags!.map(({ name }) => name);
    expect(tags.slice(tags.indexOf('Request logs')).slice(0, 3)).toEqual(['Request logs', 'Tiny things', 'Exports']);
    expect(operationsOf(document).map(({ name }) => name)).toContain('GET /tiny-things');
    const { body } = await app.client.request('GET', '/metrics');
    expect(body).toContain('tracesheet_tiny_things_total 0');
  });

  it('gives its permissions to the roles whose kind they are', async () => {
    defineDomain('tiny', tiny);
    app = await TestApp.own({ works: false });
    const [{ id }] = ((await app.operator().get('/api/admin/v1/workspaces')) as { workspaces: [{ id: number }] })
      .workspaces;
    const statusAs = async (role: string) => {
      const issued = await app!.operator().post(`/api/admin/v1/workspaces/${id}/api-keys`, { role }, 201);
      return (await app!.clientWith((issued as { secret: string }).secret).request('GET', '/tiny-things')).status;
    };
    expect(await statusAs('contributor')).toBe(200);
    expect(await statusAs('viewer')).toBe(403);
  });

  it('is refused when another has its name, or a setting or a counter of the same name', () => {
    expect(() => defineDomain('tables', tiny)).toThrow('two domains "tables"');
    defineDomain('tiny', { ...tiny, settings: { port: tiny.settings.tinySize } });
    expect(() => loadConfig(URLS)).toThrow('"port"');
  });
});

describe('the folders of src', () => {
  const folders = readdirSync('src', { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? entry.name : [],
  );
  // They know no domain: see the layer rules.
  const named = folders.filter((name) => !['platform', 'embedded'].includes(name));

  it('are domains with a manifest, each listed once', () => {
    const listed = readFileSync('src/domains.ts', 'utf8').matchAll(/^import '\.\/([\w-]+)\/manifest\.js';$/gm);
    expect([...listed].map(([, name]) => name).toSorted()).toEqual(named.toSorted());
    expect([...domains.keys()].toSorted()).toEqual(named.toSorted());
  });

  it('use only existing domains, the same as in the layer rules', () => {
    const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
      forbidden: { name: string; comment?: string }[];
    };
    const rules = new Map(forbidden.map(({ name, comment }) => [name, comment]));
    for (const [name, { uses }] of domains) {
      expect(named).toEqual(expect.arrayContaining([...uses]));
      const allowed = `${name} may use ${uses.join(', ') || 'no other domain'}.`;
      if (name !== 'access') expect(rules.get(`${name}-reads-only-its-arrows`)).toBe(allowed);
    }
  });
});
