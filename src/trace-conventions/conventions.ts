import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { definePlugin } from '../platform/plugins/define-plugin.js';
import type { NormalizedSpan } from './span.js';
import type { Reading, TraceConvention } from './convention.js';
import { declareWords, type Words } from './words.js';

export interface ConventionOptions {
  name: string;
  /** Conventions are asked in ascending order; the first that recognises a span decides. */
  order: number;
  /**
   * Attributes with the model, tokens, messages and other facts. Every reader tries them, whichever convention a span
   * follows.
   */
  words?: Words;
  /** Rank of its words among those of other conventions. Default: `order`. */
  rank?: number;
  /** Senders that follow it, for the reference. */
  senders?: string;
}

const kind = definePlugin<ConventionOptions>('trace convention');

/** Makes a class a trace convention: a way to read model calls out of the attributes of spans. */
export const Convention = (options: ConventionOptions): ClassDecorator => {
  const { name, order, rank = order, words = {}, senders = '' } = options;
  declareWords({ name, rank, words, senders });
  return kind.decorate(options);
};

/** All conventions of the installation, in the order they are asked. */
@Injectable()
export class Conventions implements OnModuleInit {
  private conventions: TraceConvention[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    const found = [...kind.collect<TraceConvention>(this.discovery).values()];
    this.conventions = found.sort((a, b) => a.options.order - b.options.order).map(({ plugin }) => plugin);
  }

  /** The reading of the first convention that recognises the span; null when none does. */
  read(span: NormalizedSpan): Reading | null {
    for (const convention of this.conventions) {
      const reading = convention.read(span);
      if (reading) return reading;
    }
    return null;
  }
}
