import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Caller } from '../access/index.js';
import type { JsonValue } from '../platform/json.js';
import { definePlugin } from '../platform/plugins/define-plugin.js';

/** The resource of a channel. All followers of a topic get the same messages. */
export interface LiveTopic {
  workspaceId: number;
  /** The name of a kind of channel. */
  kind: string;
  /** The matched groups of the pattern, in lower case. */
  params: string[];
}

/** A message in the protocol of clients. */
export interface LiveMessage {
  message_name: string;
  data: JsonValue;
}

interface LiveChannelOptions {
  name: string;
  /** Matches the whole name of a channel. */
  pattern: RegExp;
  /** An example of such a name, for messages. */
  example: string;
}

/**
 * A kind of channel. Processes do not send each other messages: the process that changes something announces the changed part of a
 * topic, and the process with followers reads the new state. So messages cannot overtake each other.
 */
export interface LiveChannelPlugin {
  /** Whether the caller may follow this channel: false for a resource that is missing or of another workspace. */
  allows(caller: Caller, params: string[]): Promise<boolean>;
  /** Messages about these parts of the topic. Deleted parts give none. */
  read(topic: LiveTopic, parts: string[]): Promise<LiveMessage[]>;
  /** Messages for a new follower; `recent` are the parts that were announced in the last minutes. */
  readFirst(topic: LiveTopic, recent: string[]): Promise<LiveMessage[]>;
}

const kind = definePlugin<LiveChannelOptions>('live channel');

/** Registers a class as a kind of channel. */
export const LiveChannel = (options: LiveChannelOptions): ClassDecorator => kind.decorate(options);

export interface KnownChannel {
  kind: string;
  params: string[];
  plugin: LiveChannelPlugin;
}

/** All kinds of channels of the installation. */
@Injectable()
export class LiveChannels implements OnModuleInit {
  private kinds = new Map<string, { options: LiveChannelOptions; plugin: LiveChannelPlugin }>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    this.kinds = kind.collect<LiveChannelPlugin>(this.discovery);
  }

  /** null when no kind matches. */
  find(channel: string): KnownChannel | null {
    for (const [name, { options, plugin }] of this.kinds) {
      const match = options.pattern.exec(channel);
      if (match) return { kind: name, params: match.slice(1).map((param) => param.toLowerCase()), plugin };
    }
    return null;
  }

  plugin(topic: LiveTopic): LiveChannelPlugin {
    return this.kinds.get(topic.kind)!.plugin;
  }

  /** Examples of names of channels. */
  examples(): string[] {
    return [...this.kinds.values()].map(({ options }) => options.example);
  }
}
