package io.github.freelancermatching.testing;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/**
 * The freelancer matching service in test mode: in a container or, where there is no container engine, as a program.
 * {@code MATCHING_TEST_BINARY}, the path of the program, takes precedence over a container.
 */
public final class MatchingService implements AutoCloseable {
  /** The image that is started, unless MATCHING_TEST_IMAGE names another one. */
  public static final String IMAGE = "freelancer-matching:local";
  /** The program in PATH that is started without a container engine. */
  public static final String PROGRAM = "matching-server";

  public static final String FREELANCER_KEY = "svc_fr_test000000000000000000000000004EuxCR";
  public static final String PROFESSIONAL_KEY = "svc_pr_test000000000000000000000000002UtNWJ";
  public static final String ENTERPRISE_KEY = "svc_ent_test000000000000000000000000001rTwEG";

  private static final int PORT = 8080;
  private static final Duration START_TIMEOUT = Duration.ofMinutes(2);
  private static final Duration CALL_TIMEOUT = Duration.ofMinutes(1);

  private final HttpClient client = HttpClient.newHttpClient();
  private GenericContainer<?> container;
  private Process process;
  private Path folder;
  private String url;

  private MatchingService() {}

  /** Starts a service, and returns when it is ready. */
  public static MatchingService start() {
    MatchingService service = new MatchingService();
    try {
      String program = System.getenv("MATCHING_TEST_BINARY");
      boolean isNamed = program != null && !program.isEmpty();
      if (!isNamed && DockerClientFactory.instance().isDockerAvailable()) {
        service.startContainer();
      } else {
        service.startProgram(isNamed ? program : find());
      }
      return service;
    } catch (IOException | RuntimeException e) {
      service.close();
      throw e instanceof RuntimeException r ? r : new IllegalStateException("start the service", e);
    }
  }

  private void startContainer() {
    String named = System.getenv("MATCHING_TEST_IMAGE");
    container = new GenericContainer<>(DockerImageName.parse(named == null ? IMAGE : named))
        .withCommand("-test", "-insecure-http")
        .withExposedPorts(PORT)
        .waitingFor(Wait.forHttp("/readyz").forPort(PORT).withStartupTimeout(START_TIMEOUT));
    container.start();
    url = "http://" + container.getHost() + ":" + container.getMappedPort(PORT);
  }

  private void startProgram(String program) throws IOException {
    folder = Files.createTempDirectory("matching-");
    Path log = folder.resolve("log");
    process = new ProcessBuilder(program, "-test", "-addr", "127.0.0.1:0", "-data", folder.toString())
        .redirectError(log.toFile())
        .start();

    // The program prints little before it is ready, and reading would wait forever for one that hangs.
    Process started = process;
    Thread watchdog = new Thread(() -> {
      try {
        Thread.sleep(START_TIMEOUT.toMillis());
        started.destroyForcibly();
      } catch (InterruptedException e) {
        // The program is ready.
      }
    });
    watchdog.setDaemon(true);
    watchdog.start();

    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.startsWith("Ready on ")) {
        url = line.substring("Ready on ".length());
        watchdog.interrupt();
        return;
      }
    }
    throw new IllegalStateException(program + " has ended: " + Files.readString(log));
  }

  private static String find() {
    String path = System.getenv("PATH");
    for (String name : (path == null ? "" : path).split(File.pathSeparator)) {
      Path file = Path.of(name, PROGRAM);
      if (Files.isExecutable(file)) {
        return file.toString();
      }
    }
    throw new IllegalStateException("there is neither a container engine nor the program " + PROGRAM
        + "; set MATCHING_TEST_BINARY to its path");
  }

  /** Stops the service. All of its data is lost. */
  @Override
  public void close() {
    if (container != null) {
      container.stop();
    }
    if (process != null) {
      process.destroy();
      try {
        if (!process.waitFor(1, TimeUnit.MINUTES)) {
          process.destroyForcibly();
        }
      } catch (InterruptedException e) {
        process.destroyForcibly();
        Thread.currentThread().interrupt();
      }
    }
    if (folder != null) {
      for (String name : List.of("log", "")) {
        try {
          Files.deleteIfExists(name.isEmpty() ? folder : folder.resolve(name));
        } catch (IOException e) {
          // A temporary file is left.
        }
      }
    }
  }

  /** Returns the address, without a slash at the end. */
  public String url() {
    return url;
  }

  /** Returns the API key of the plan enterprise. */
  public String key() {
    return ENTERPRISE_KEY;
  }

  /** Returns to the state after the start. */
  public void reset() {
    control("POST", "/test/reset", "");
  }

  /** Replaces all freelancers by n generated ones. The same seed gives the same. */
  public void seed(int n, long seed) {
    control("PUT", "/test/data?n=" + n + "&seed=" + seed, "");
  }

  /** Replaces all freelancers by those in lines of JSON. */
  public void load(String lines) {
    control("PUT", "/test/data", lines);
  }

  /** Advances the clock of the service. */
  public void advance(Duration by) {
    control("POST", "/test/clock", "{\"advance\":\"" + by.toMillis() + "ms\"}");
  }

  /** Sets the clock of the service. */
  public void setClock(Instant to) {
    control("POST", "/test/clock", "{\"set\":\"" + to + "\"}");
  }

  /** Lets the next calls fail, or all if times is 0: with 429, 503, 500, slow=2s or drop. */
  public void fail(String fault, int times) {
    control("POST", "/test/faults", "{\"fault\":\"" + fault + "\",\"times\":" + times + "}");
  }

  /** Ends what fail began. */
  public void recover() {
    control("DELETE", "/test/faults", "");
  }

  /** Says whether the limits of plans apply. */
  public void enforceQuota(boolean on) {
    control("PUT", "/test/quota", "{\"enforced\":" + on + "}");
  }

  /** Replaces the script of the language model by replies in JSON, such as {"when": "tests", "level": 5}. */
  public void script(String... replies) {
    control("PUT", "/test/llm", "{\"replies\":[" + String.join(",", replies) + "]}");
  }

  private void control(String method, String path, String body) {
    HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
        .timeout(CALL_TIMEOUT)
        .method(method, HttpRequest.BodyPublishers.ofString(body))
        .build();
    try {
      HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() != 200) {
        throw new IllegalStateException(
            method + " " + path + ": " + response.statusCode() + ": " + response.body());
      }
    } catch (IOException e) {
      throw new IllegalStateException(method + " " + path, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(method + " " + path, e);
    }
  }
}
