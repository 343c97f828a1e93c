package io.github.freelancermatching.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class MatchingServiceTest {
  private final HttpClient client = HttpClient.newHttpClient();

  private HttpResponse<String> match(MatchingService service, String key) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(service.url() + "/api/v1/match"))
        .header("X-API-Key", key)
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(
            "{\"description\": \"Online shop with React and Node.js\", \"limit\": 3}"))
        .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void aServiceThatTestsControl() throws Exception {
    try (MatchingService service = MatchingService.start()) {
      HttpResponse<String> first = match(service, service.key());
      assertEquals(200, first.statusCode());

      service.fail("429=7s", 1);
      assertEquals(429, match(service, service.key()).statusCode());

      service.enforceQuota(true);
      for (int i = 0; i < 100; i++) {
        match(service, MatchingService.FREELANCER_KEY);
      }
      assertEquals(429, match(service, MatchingService.FREELANCER_KEY).statusCode());
      service.advance(Duration.ofMinutes(1));
      assertEquals(200, match(service, MatchingService.FREELANCER_KEY).statusCode());

      service.script("{\"when\": \"tests\", \"level\": 5}");
      assertThrows(IllegalStateException.class, () -> service.script("{\"level\": 9}"));
      service.seed(5, 7);
      service.load("{\"id\": \"ada\", \"name\": \"Ada Byron\", \"job_title\": \"React developer\", \"skills\": [\"React\"]}");
      assertTrue(match(service, service.key()).body().contains("\"ada\""));

      service.reset();
      assertEquals(first.body(), match(service, service.key()).body());
    }
  }
}
