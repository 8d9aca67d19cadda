import type { Message, Prompt } from '../../llm/shared/blueprint.js';
import { textsOf } from '../shared/prompt-text.js';
import { PromptErrors } from '../shared/prompts.errors.js';
import { findReferences, replaceReferences } from './references.js';
import type { GraphNode, SnippetGraph } from './snippet-graph.js';

/** Nested snippets multiply: a few short ones could fill the memory. */
const MAX_LENGTH = 10_000_000;

export interface UsedSnippet {
  promptName: string;
  version: number;
  label: string | null;
}

export interface Expansion {
  prompt: Prompt;
  /** Snippets that were expanded, directly or inside others, in order of their first use. */
  snippets: UsedSnippet[];
  /** References that lead nowhere; their marks are still in the text. */
  unresolved: string[];
}

/**
 * Fills the snippets into a version of a prompt. `overrides` replaces the content of snippets by name. Throws
 * prompt_too_large.
 */
export function expandSnippets(
  graph: SnippetGraph,
  root: GraphNode,
  overrides: Record<string, string> | null,
): Expansion {
  return new Expander(graph, overrides ?? {}).expand(root);
}

class Expander {
  private readonly texts = new Map<string, string>();
  private readonly used = new Map<string, UsedSnippet>();
  private readonly unresolved = new Set<string>();

  constructor(
    private readonly graph: SnippetGraph,
    private readonly overrides: Record<string, string>,
  ) {}

  expand(root: GraphNode): Expansion {
    const filled = this.fillIn(root, new Set([root.key]));
    const prompt = addVariables(root.template, filled, (text) => this.variablesOf(root, text));
    return { prompt, snippets: [...this.used.values()], unresolved: [...this.unresolved] };
  }

  private fillIn(node: GraphNode, path: Set<string>): Prompt {
    let length = 0;
    return replaceReferences(node.template, (reference) => {
      const content = this.contentOf(node, reference, path);
      length += content?.length ?? 0;
      if (length > MAX_LENGTH) throw PromptErrors.prompt_too_large(MAX_LENGTH);
      return content;
    });
  }

  /** Returns null if the reference leads nowhere, or back to a prompt on the path. */
  private contentOf(node: GraphNode, reference: string, path: Set<string>): string | null {
    const edge = node.references.find(({ text }) => text === reference);
    const target = edge?.target && !path.has(edge.target) ? this.graph.get(edge.target) : undefined;
    if (!edge || target?.template.type !== 'completion') {
      this.unresolved.add(reference);
      return null;
    }
    const use = { promptName: target.name, version: target.version, label: edge.label };
    this.used.set(JSON.stringify(use), use);
    if (Object.hasOwn(this.overrides, target.name)) return this.overrides[target.name];
    const known = this.texts.get(target.key) ?? textsOf(this.fillIn(target, new Set([...path, target.key]))).join('');
    this.texts.set(target.key, known);
    return known;
  }

  /** The variables of the snippets that a prompt refers to, directly or further down. */
  private variablesOf(node: GraphNode, references: string[], seen = new Set<string>()): string[] {
    const targets = node.references.filter(({ text }) => references.includes(text)).map(({ target }) => target);
    return targets.flatMap((key) => {
      const target = key === null || seen.has(key) ? undefined : this.graph.get(key);
      if (!target || key === null) return [];
      seen.add(key);
      const deeper = findReferences(target.template).map(({ text }) => text);
      return [...target.template.input_variables, ...this.variablesOf(target, deeper, seen)];
    });
  }
}

/** Adds the input variables of a snippet to those of the message that it is expanded in. */
function addVariables(before: Prompt, filled: Prompt, variablesOf: (references: string[]) => string[]): Prompt {
  const union = (own: string[], texts: Prompt) => [
    ...new Set([...own, ...variablesOf(findReferences(texts).map(({ text }) => text))]),
  ];
  const inputVariables = union(before.input_variables, before);
  if (filled.type === 'completion' || before.type === 'completion')
    return { ...filled, input_variables: inputVariables };
  const alone = (message: Message): Prompt => ({ ...before, messages: [message] });
  const messages = filled.messages.map((message, index) => ({
    ...message,
    input_variables: union(message.input_variables, alone(before.messages[index])),
  }));
  return { ...filled, messages, input_variables: inputVariables };
}
