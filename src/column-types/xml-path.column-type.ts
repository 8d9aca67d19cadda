import { BooleanField, EnumField, TextField } from '../platform/http/fields.js';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { Isolation } from '../platform/sandbox/expressions/isolation.js';
import { compileXmlPath, MAX_XML_PATH } from '../platform/sandbox/expressions/xml-path.js';
import { type CellOutcome, ColumnType, type ComputingColumnType } from '../grid/column-type/column-type.js';
import { evaluateTexts } from './evaluate-texts.js';
import { SourceColumn } from '../grid/column-type/source-fields.js';
import { isTrue } from './two-sources.js';

class XmlPathConfig {
  @SourceColumn({ description: 'A column that holds XML.' })
  source: JsonValue;

  @TextField({
    minLength: 1,
    maxLength: MAX_XML_PATH,
    description: 'An XPath 1.0, seen from the root element. Names without a prefix match in every namespace.',
    example: '//item/name',
  })
  xml_path: string;

  @EnumField(['find', 'findall'], {
    advanced: true,
    optional: true,
    default: 'find',
    description: 'The first match, or all in a list.',
  })
  type?: 'find' | 'findall';

  @BooleanField({
    advanced: true,
    optional: true,
    default: true,
    description: 'The text of what is found; otherwise its XML.',
  })
  return_text?: boolean;
}

@ColumnType({
  name: 'XML_PATH',
  title: 'XML path',
  description: 'The matches of an XPath in the source. XML with a DOCTYPE is rejected.',
  kind: 'deterministic',
  group: 'compute',
  output: 'json',
  config: XmlPathConfig,
  olderKeys: { xpath: 'xml_path' },
  normalize: fromReturnAll,
})
export class XmlPathColumnType implements ComputingColumnType<XmlPathConfig> {
  constructor(private readonly isolation: Isolation) {}

  check({ xml_path }: XmlPathConfig): void {
    compileXmlPath(xml_path);
  }

  computeMany(configs: XmlPathConfig[]): Promise<CellOutcome[]> {
    const { xml_path, type = 'find', return_text = true } = configs[0]!;
    const options = { path: xml_path, all: type === 'findall', text: return_text };
    return evaluateTexts(
      this.isolation,
      { name: 'xml_path', options },
      configs.map(({ source }) => [source]),
    );
  }
}

function fromReturnAll({ return_all, ...config }: JsonObject): JsonObject {
  if (return_all === undefined || return_all === null || config.type !== undefined) return config;
  return { ...config, type: isTrue(return_all) ? 'findall' : 'find' };
}
