import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { MAX_ID } from '../platform/http/fields.js';
import { definePlugin } from '../platform/plugins/define-plugin.js';
import { AccessErrors } from './access.errors.js';
import type { Caller } from './caller.js';

const FORMS = {
  integer: (text: string) => (/^\d{1,10}$/.test(text) && Number(text) <= MAX_ID ? Number(text) : null),
  uuid: (text: string) => (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text) ? text.toLowerCase() : null),
};

type IdForm = keyof typeof FORMS;
type Path = Record<string, string>;

interface LookupOptions {
  /** The parameter that names the thing. */
  name: string;
  /** All parameters that are needed to find it, itself included, and their forms. */
  ids: Record<string, IdForm>;
}

/** Finds what a parameter of paths names. */
export interface PathLookup<Ids> {
  /** Rejects with a 404 when the workspace of the caller does not have it. */
  findInPath(caller: Caller, ids: Ids): Promise<unknown>;
}

const kind = definePlugin<LookupOptions>('path lookup');

/** Makes a class find what a parameter names, in the paths of routes with `@Can`. */
export const FindsInPath = (options: LookupOptions): ClassDecorator => kind.decorate(options);

/**
 * What is not there is answered with 404, whatever the caller may do. Routes with `@Can` are refused before their handlers look for
 * anything, so it is looked for here, and only for those who are refused.
 */
@Injectable()
export class PathLookups implements OnModuleInit {
  private lookups: { ids: [name: string, form: IdForm][]; plugin: PathLookup<object> }[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    const found = [...kind.collect<PathLookup<object>>(this.discovery).values()];
    const lookups = found.map(({ options, plugin }) => ({ ids: Object.entries(options.ids), plugin }));
    // What contains the others comes first.
    this.lookups = lookups.toSorted((a, b) => a.ids.length - b.ids.length);
  }

  /** Throws the 404 of the first thing in a path that is not there. An id that cannot be one names nothing. */
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
