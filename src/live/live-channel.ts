import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Caller } from '../access/index.js';
import type { JsonValue } from '../platform/json.js';
import { definePlugin } from '../platform/plugins/define-plugin.js';

/** What a channel is about. Everybody who follows the same topic is told the same. */
export interface LiveTopic {
  workspaceId: number;
  /** The name of a kind of channel. */
  kind: string;
  /** What the groups of the pattern of the kind have matched, in lower case. */
  params: string[];
}

/** What clients get, as they expect it. */
export interface LiveMessage {
  message_name: string;
  data: JsonValue;
}

interface LiveChannelOptions {
  name: string;
  /** Matches the whole name of a channel. */
  pattern: RegExp;
  /** The form of such a name, for people. */
  example: string;
}

/**
 * A kind of channel. Messages are never sent from one process to another: whoever changes something announces which part of a
 * topic has changed, and the process that has followers reads what there is to tell. So messages cannot overtake each other.
 */
export interface LiveChannelPlugin {
  /** Whether the caller may follow this channel: false for what is not there, or is of another workspace. */
  allows(caller: Caller, params: string[]): Promise<boolean>;
  /** What is to be told about these parts of the topic. Parts that are gone give no message. */
  read(topic: LiveTopic, parts: string[]): Promise<LiveMessage[]>;
  /** What somebody who has just come has to know; `recent` are the parts that were announced in the last minutes. */
  readFirst(topic: LiveTopic, recent: string[]): Promise<LiveMessage[]>;
}

const kind = definePlugin<LiveChannelOptions>('live channel');

/** Makes a class a kind of channel. */
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

  /** null when no kind has such channels. */
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

  /** The forms that names of channels may have. */
  examples(): string[] {
    return [...this.kinds.values()].map(({ options }) => options.example);
  }
}
