import { type CustomDecorator, type Type } from '@nestjs/common';
import { Injectable, SetMetadata } from '@nestjs/common';
import type { DiscoveryService } from '@nestjs/core';

export interface PluginKind<Options extends { name: string }> {
  /** Class decorator: makes the class an injectable plugin of this kind. */
  decorate(options: Options): ClassDecorator;
  /**
   * Every plugin of this kind among the application's providers, by name.
   * Throws when two classes share a name: one of them would silently never run.
   */
  collect<T>(discovery: DiscoveryService): Map<string, { options: Options; plugin: T }>;
}

/**
 * Declares a kind of plugin: a decorator, and how to find everything that carries it.
 * A plugin is one file; it needs no registration besides being a provider of some module.
 */
export function definePlugin<Options extends { name: string }>(kind: string): PluginKind<Options> {
  const key = `plugin:${kind}`;
  return {
    decorate: (options) => (target) => {
      Injectable()(target);
      (SetMetadata(key, options) as CustomDecorator & ClassDecorator)(target);
    },
    collect: (discovery) => {
      const found = new Map<string, { options: Options; plugin: never }>();
      for (const { metatype, instance } of discovery.getProviders()) {
        const options = metatype && (Reflect.getMetadata(key, metatype) as Options | undefined);
        if (!options) continue;
        assertNew(kind, options.name, found.get(options.name)?.plugin, metatype as Type);
        found.set(options.name, { options, plugin: instance as never });
      }
      return found;
    },
  };
}

function assertNew(kind: string, name: string, known: object | undefined, added: Type): void {
  if (!known) return;
  throw new Error(`Two ${kind} plugins are named ${name}: ${known.constructor.name} and ${added.name}. Rename one.`);
}
