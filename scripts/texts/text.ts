/** The kinds of texts, in the order they are printed, and who reads each. */
export const kinds = {
  openapi: 'the API reference: summaries, descriptions, tags, fields',
  refusal: 'error answers of the API and the issues in them',
  failure: 'the catalogue of payment failures',
  page: 'the checkout, its scripts and the error pages',
  setting: 'what each setting does, and what is wrong with its value',
  cli: 'help and messages of the command line',
  start: 'what the programs print: the welcome, the demo, the local chain',
  log: 'log messages for operators',
  probe: 'health, readiness and metrics',
  alert: 'alerts, dashboards and the comments of deployment files',
  sdk: 'messages of the client package',
  message: 'other errors and messages of the server',
  script: 'help and messages of the commands of this repository',
  contract: 'error texts of the contracts',
  doc: 'headings of the documents, each with the line below it',
} as const

/** Which kind of text it is. */
export type Kind = keyof typeof kinds

/** A text that a person reads, and where it stands. */
export type Text = {
  readonly kind: Kind
  readonly path: string
  /** A line counted from 1, or the place inside a document that is made. */
  readonly place: string
  readonly text: string
}
