import static java.util.Objects.requireNonNull;

import java.io.File;
import java.util.List;
import marketplace.ApiClient;
import marketplace.ApiException;
import marketplace.api.DataApi;
import marketplace.api.FreelancersApi;
import marketplace.api.MatchingApi;
import marketplace.api.OperationApi;
import marketplace.model.*;

/** Sends the requests of a marketplace with the Java client that OpenAPI Generator generates. */
public class Marketplace {
  /** The ID of a freelancer whom no other client changes. */
  private static final String ID = "openapi-generator-java";

  private final ApiClient client = connect(System.getenv("KEY"));
  private final OperationApi operation = new OperationApi(client);
  private final MatchingApi matching = new MatchingApi(client);
  private final FreelancersApi freelancers = new FreelancersApi(client);
  private final DataApi data = new DataApi(client);
  private final FreelancersApi small = new FreelancersApi(connect(System.getenv("SMALL_KEY")));

  public static void main(String[] arguments) throws ApiException {
    Marketplace marketplace = new Marketplace();
    String best = marketplace.matches();
    marketplace.records();
    marketplace.bulk();
    marketplace.batch();
    marketplace.files();
    marketplace.interviews(best);
    marketplace.failures();
    System.out.println("all passed");
  }

  private static ApiClient connect(String key) {
    return new ApiClient().setBasePath(System.getenv("URL")).addDefaultHeader("X-API-Key", key);
  }

  private static void check(boolean holds, Object got) {
    if (!holds) {
      throw new AssertionError(got);
    }
  }

  /** Returns the ID of the best freelancer. */
  private String matches() throws ApiException {
    HealthAnswer health = operation.getHealth().execute();
    check(health.getStatus() == HealthAnswer.StatusEnum.HEALTHY, health);
    MeAnswer me = operation.getMe().execute();
    check(me.getData().getPlan().equals("enterprise"), me);

    MatchRequest brief = new MatchRequest().requiredSkills(List.of("React", "Node.js")).limit(2L);
    MatchAnswer first = matching.matchFreelancers(brief).unknown("null").execute();
    check(first.getMatches().size() == 2, first);
    Freelancer best = first.getMatches().get(0).getFreelancer();
    MatchAnswer second = matching.matchFreelancers(brief.offset(first.getNextOffset())).execute();
    check(!second.getMatches().get(0).getFreelancer().getId().equals(best.getId()), second);

    ExplainRequest why = new ExplainRequest().freelancerId(best.getId()).requiredSkills(brief.getRequiredSkills());
    ExplainAnswer explained = matching.explainMatch(why).execute();
    check(explained.getData().getRank() == 1, explained);
    MatchAnswer similar = freelancers.similarFreelancers(best.getId()).execute();
    check(similar.getMatches().size() == 10, similar);
    VerifySkillAnswer skill = matching.verifySkill(new VerifySkillRequest().keyword("k8s")).execute();
    check(skill.getData().getSkill().getName().equals("Kubernetes"), skill);

    Event clicked = new Event().type(Event.TypeEnum.CLICKED).requestId(first.getRequestId()).freelancerId(best.getId());
    EventsAnswer events = matching.recordEvents(new EventsRequest().addEventsItem(clicked)).execute();
    check(events.getData().getRecorded() == 1, events);
    return best.getId();
  }

  private void records() throws ApiException {
    FreelancerRecord record = new FreelancerRecord().name("Ada Byron").jobTitle("Go developer")
        .skills(List.of("Go")).hourlyRate(60.0);
    FreelancerChangeAnswer put = freelancers.putFreelancer(ID, record).execute();
    check(put.getData().getOutcome() == FreelancerChange.OutcomeEnum.CREATED, put);

    FreelancerRecord patch = new FreelancerRecord().hourlyRate(65.0).location(null);
    FreelancerChangeAnswer patched = freelancers.patchFreelancer(ID, patch).execute();
    StoredFreelancer stored = freelancers.getFreelancer(ID).execute().getData();
    check(stored.getFreelancer().getHourlyRate() == 65, stored);
    check(stored.getVersion().equals(patched.getData().getVersion()), stored);

    // What was read can be written, because both have the same type.
    FreelancerChangeAnswer again = freelancers.putFreelancer(ID, stored.getFreelancer()).execute();
    check(again.getData().getOutcome() == FreelancerChange.OutcomeEnum.UNCHANGED, again);
  }

  private void bulk() throws ApiException {
    String lines = "{'id':'ID','deleted':true}\n{'id':'ID-2','rating':9}\n".replace('\'', '"').replace("ID", ID);
    String[] results = freelancers.changeFreelancers(lines).execute().trim().split("\n");
    check(results[0].contains("\"outcome\":\"deleted\""), results[0]);
    check(results[1].contains("\"outcome\":\"failed\""), results[1]);
    check(results[2].contains("\"failed\":1"), results[2]);
  }

  private void batch() throws ApiException {
    MatchBatchRequest briefs = new MatchBatchRequest()
        .addBriefsItem(new MatchRequest().requiredSkills(List.of("React")))
        .addBriefsItem(new MatchRequest().jobTitle("Translator").profile("cheap"));
    List<BriefResult> results = matching.matchBatch(briefs).execute().getData().getResults();
    check(results.get(0).getMatchAnswer().getMatches().size() == 10, results);
    check(results.get(1).getFailure().getError().getCode().equals("validation_failed"), results);
  }

  private void files() throws ApiException {
    File resume = new File(System.getenv("RESUME"));
    ParseAnswer parsed = data.parseResume(resume).execute();
    check(parsed.getData().getName().equals("Mira Talden"), parsed);
    JSONResumeAnswer converted = data.parseToJSONResume(resume).execute();
    check(converted.getData().getBasics().getName().equals("Mira Talden"), converted);
  }

  private void interviews(String best) throws ApiException {
    InterviewRequest request = new InterviewRequest().freelancerId(best).jobTitle("React developer")
        .requiredSkills(List.of("React")).numQuestions(2L);
    InterviewAnswer asked = matching.conductInterview(request).execute();
    check(asked.getData().getInterviewData().getQuestions().size() == 2, asked);

    String session = asked.getData().getSessionId();
    InterviewRequest view = new InterviewRequest().freelancerId(best).sessionId(session)
        .mode(InterviewRequest.ModeEnum.REPORT).view(InterviewRequest.ViewEnum.CANDIDATE);
    InterviewAnswer seen = matching.conductInterview(view).execute();
    List<String> points = seen.getData().getInterviewData().getQuestions().get(0).getPoints();
    check(points == null || points.isEmpty(), seen);

    String events = matching.streamInterview(request).execute();
    check(events.contains("event: result"), events);
    InterviewDeleted deleted = matching.deleteInterviewByID(session).execute();
    check(deleted.getData().getSessionId().equals(session), deleted);
  }

  private void failures() throws ApiException {
    refused(401, "invalid_api_key", () -> new OperationApi(connect("svc_fr_wrong")).getMe().execute());
    refused(404, "freelancer_not_found", () -> freelancers.getFreelancer("nobody").execute());
    MatchRequest brief = new MatchRequest().limit(0L);
    ApiException invalid = refused(422, "validation_failed", () -> matching.matchFreelancers(brief).execute());
    List<FieldError> details = invalid.getErrorObject().getError().getDetails();
    check(details.stream().anyMatch(e -> e.getField().equals("limit")), invalid);

    // The plan of the second key shows 500 freelancers a day.
    String cursor = null;
    for (int page = 0; page < 5; page++) {
      FreelancerListAnswer list = list(cursor);
      check(list.getData().size() == 100, list);
      cursor = requireNonNull(list.getNextCursor());
    }
    String next = cursor;
    ApiException limit = refused(429, "freelancer_limit_exceeded", () -> list(next));
    check(limit.getResponseHeaders().containsKey("retry-after"), limit);
  }

  private FreelancerListAnswer list(String cursor) throws ApiException {
    return small.listFreelancers().limit(100L).cursor(cursor).execute();
  }

  /** A request that is sent when it is called. */
  private interface Request {
    Object send() throws ApiException;
  }

  /** Returns the exception of a request that must be refused with a status and a code. */
  private static ApiException refused(int status, String code, Request request) {
    try {
      request.send();
    } catch (ApiException e) {
      check(e.getCode() == status && e.getErrorObject().getError().getCode().equals(code), e);
      return e;
    }
    throw new AssertionError("no exception");
  }
}
