import type {
  Delivery,
  DeliveryListAnswer,
  EndpointRequest,
  operations,
  QueuedDelivery,
  QueuedDeliveryAnswer,
  WebhookAnswer,
  WebhookEndpoint,
  WebhookEvent,
  WebhookListAnswer,
  WebhookSecretAnswer,
  WebhookWithSecret,
} from './schema.js'
import { type Call, type CallOptions, segment, type Transport } from './transport.js'

/** The size of the pages of deliveries. */
export type DeliveryQuery = Omit<NonNullable<operations['listDeliveries']['parameters']['query']>, 'cursor'>

/**
 * Endpoints of the account, which receive messages about events; `verifyWebhook` checks what arrives. The key needs the
 * permission `webhooks:write`.
 */
export class Webhooks {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Creates an endpoint. Keep its secret, which no other response has. Messages to an endpoint without a URL are not
   * sent; `deliveries` yields them.
   */
  create(request: EndpointRequest, options: CallOptions = {}): Promise<WebhookWithSecret> {
    const call: Call = { method: 'POST', path: '/api/v1/webhooks', json: request, repeatable: false, ...options }
    return this.#data<WebhookSecretAnswer>(call)
  }

  /** Returns all endpoints of the account, the oldest first. */
  list(options: CallOptions = {}): Promise<WebhookEndpoint[]> {
    return this.#data<WebhookListAnswer>({ method: 'GET', path: '/api/v1/webhooks', repeatable: true, ...options })
  }

  /** Returns an endpoint. */
  get(id: string, options: CallOptions = {}): Promise<WebhookEndpoint> {
    return this.#data<WebhookAnswer>({ method: 'GET', path: path(id), repeatable: true, ...options })
  }

  /** Changes what the request names. While `enabled` is false, events are not kept for the endpoint. */
  change(id: string, request: EndpointRequest, options: CallOptions = {}): Promise<WebhookEndpoint> {
    const call: Call = { method: 'PATCH', path: path(id), json: request, repeatable: true, ...options }
    return this.#data<WebhookAnswer>(call)
  }

  /** Deletes an endpoint with its deliveries. */
  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: path(id), repeatable: true, ...options })
  }

  /** Gives an endpoint a new secret. For 24 hours, messages are signed with the previous one, too. */
  rotate(id: string, options: CallOptions = {}): Promise<WebhookWithSecret> {
    const call: Call = { method: 'POST', path: path(id) + '/rotate', repeatable: false, ...options }
    return this.#data<WebhookSecretAnswer>(call)
  }

  /** Sends a message with invented data and `test: true`. By default, its type is the first one of the endpoint. */
  test(id: string, event?: WebhookEvent, options: CallOptions = {}): Promise<QueuedDelivery> {
    const call: Call = { method: 'POST', path: path(id) + '/test', json: { event }, repeatable: false, ...options }
    return this.#data<QueuedDeliveryAnswer>(call)
  }

  /** Yields the messages of the last 14 days and what became of them, the newest first, page after page. */
  async *deliveries(id: string, query: DeliveryQuery = {}, options: CallOptions = {}): AsyncGenerator<Delivery, void> {
    let cursor: string | null | undefined
    do {
      const page: DeliveryListAnswer = await this.#transport.json({
        method: 'GET',
        path: path(id) + '/deliveries',
        query: { ...query, cursor },
        repeatable: true,
        ...options,
      })
      yield* page.data
      cursor = page.next_cursor
    } while (cursor !== null)
  }

  /** Sends a message again now, also one that was delivered or given up. */
  retry(id: string, delivery: string, options: CallOptions = {}): Promise<QueuedDelivery> {
    const again = `${path(id)}/deliveries/${segment(delivery)}/retry`
    return this.#data<QueuedDeliveryAnswer>({ method: 'POST', path: again, repeatable: false, ...options })
  }

  async #data<T extends { data: unknown }>(call: Call): Promise<T['data']> {
    return (await this.#transport.json<T>(call)).data
  }
}

function path(id: string): string {
  return '/api/v1/webhooks/' + segment(id)
}
