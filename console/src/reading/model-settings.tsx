import { asObject } from './blocks';
import { JsonTree } from './json-tree';

/** The tools and the parameters that a model was given, folded. */
export function ModelSettings({ template, parameters }: { template: object; parameters: object }) {
  const { tools: given } = template as { tools?: unknown };
  const tools = Array.isArray(given) ? given.map(asObject) : [];
  const hasParameters = Object.keys(parameters).length > 0;
  return (
    <>
      {hasParameters && (
        <details className="section">
          <summary>
            Parameters <span className="quiet-text">{Object.keys(parameters).length}</span>
          </summary>
          <JsonTree value={parameters} open={1} />
        </details>
      )}
      {tools.length > 0 && (
        <details className="section">
          <summary>
            Tools <span className="quiet-text">{tools.length}</span>
          </summary>
          {tools.map((tool, index) => (
            <JsonTree key={index} name={nameOf(tool)} value={tool.function ?? tool} />
          ))}
        </details>
      )}
    </>
  );
}

const nameOf = (tool: Record<string, unknown>): string =>
  String(asObject(tool.function).name ?? tool.name ?? tool.type ?? 'tool');
