import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { MAX_ID } from '../platform/http/fields.js';
import { safeText } from '../platform/safe-text.js';
import { definePlugin } from '../platform/plugins/define-plugin.js';
import { AccessErrors } from './access.errors.js';
import type { Caller } from './caller.js';

const FORMS = {
  integer: (text: string) => (/^\d{1,10}$/.test(text) && Number(text) <= MAX_ID ? Number(text) : null),
  name: (text: string) => safeText(text) || null,
  uuid: (text: string) => (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text) ? text.toLowerCase() : null),
};

type IdForm = keyof typeof FORMS;
type Path = Record<string, string>;

interface LookupOptions {
  /** The parameter that names the resource. */
  name: string;
  /** All parameters that are needed to find it, itself included, and their forms. */
  ids: Record<string, IdForm>;
}

/** Finds the resource of a path parameter. */
export interface PathLookup<Ids> {
  /** Rejects with a 404 when the workspace of the caller does not have it. */
  findInPath(caller: Caller, ids: Ids): Promise<unknown>;
}

const kind = definePlugin<LookupOptions>('path lookup');

/** Registers a class as the lookup of a path parameter, for routes with `@Can`. */
export const FindsInPath = (options: LookupOptions): ClassDecorator => kind.decorate(options);

/**
 * Answers 404 for a missing resource, whatever the caller's permissions. Routes with `@Can` are refused before their handlers look
 * anything up, so it happens here, and only for refused requests.
 */
@Injectable()
export class PathLookups implements OnModuleInit {
  private lookups: { ids: [name: string, form: IdForm][]; plugin: PathLookup<object> }[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    const found = [...kind.collect<PathLookup<object>>(this.discovery).values()];
    const lookups = found.map(({ options, plugin }) => ({ ids: Object.entries(options.ids), plugin }));
    // Containers come before their contents.
    this.lookups = lookups.toSorted((a, b) => a.ids.length - b.ids.length);
  }

  /** Throws the 404 of the first missing resource in a path. A malformed id matches nothing. */
  async requireAll(caller: Caller, path: Path): Promise<void> {
    const { workspace_id: workspace } = path;
    if (workspace !== undefined && workspace !== String(caller.workspaceId)) {
      throw AccessErrors.workspace_not_found(workspace);
    }
    for (const { ids, plugin } of this.lookups) {
      const read = ids.map(([name, form]) => [name, FORMS[form](path[name] ?? '')]);
      if (read.every(([, id]) => id !== null)) await plugin.findInPath(caller, Object.fromEntries(read) as object);
    }
  }
}
