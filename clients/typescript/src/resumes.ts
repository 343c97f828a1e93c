import type { JSONResume, JSONResumeAnswer, ParseAnswer, Resume } from './schema.js'
import { type CallOptions, type DocumentFile, formOf, type Transport } from './transport.js'

/** How a résumé is read. */
export interface ParseOptions extends CallOptions {
  /** Leave out what tells who the person is. */
  anonymize?: boolean
}

/** What is read beside the fields. */
export interface FieldOptions extends ParseOptions {
  /** `text` adds the lines from which the fields were read, with their places on the pages of a PDF file. */
  include?: 'text'
}

/** Résumés in PDF, DOCX, ODT, RTF, HTML or plain text, up to 10 MiB. */
export class Resumes {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Extracts the fields of a résumé, and the draft of a freelancer's record. */
  async parse(file: DocumentFile, options: FieldOptions = {}): Promise<Resume> {
    return (await this.#read<ParseAnswer>('/api/v1/parse', file, options)).data
  }

  /** Returns a résumé in the format of jsonresume.org. */
  async toJSONResume(file: DocumentFile, options: ParseOptions = {}): Promise<JSONResume> {
    return (await this.#read<JSONResumeAnswer>('/api/v1/parse/json-resume', file, options)).data
  }

  #read<T>(path: string, file: DocumentFile, { anonymize, include, ...rest }: FieldOptions): Promise<T> {
    const body = formOf(file)
    const query = { anonymize, include }
    return this.#transport.json({ method: 'POST', path, query, body, repeatable: true, ...rest })
  }
}
