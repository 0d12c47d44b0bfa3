"""What the deployed system may do, read from the CloudFormation that AWS makes of template.yaml."""

import copy
import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from emulator.cli.machine import PASSED_ON
from emulator.schedule_expression import parse
from emulator.template import load, transform
from shared.settings import Settings

PROJECT = Path(__file__).resolve().parents[2]
TEMPLATE = PROJECT / "template.yaml"

JOBS = {"job-collect", "job-vision", "job-copy", "job-build", "job-ai-check"}
SCHEDULED = {"claimer", "reaper", "alert-flusher"}
HTTP = {"enqueue", "ops"}

ROUTES = {
    "enqueue": {
        "POST /session",
        "POST /jobs",
        "GET /jobs/{job_id}",
        "GET /places",
        "POST /places",
        "GET /places/{place_id}",
        "PATCH /places/{place_id}",
        "DELETE /places/{place_id}",
        "POST /places/{place_id}/photos",
        "POST /places/{place_id}/generation",
        "GET /places/{place_id}/generation",
        "POST /places/{place_id}/generation/cancel",
    },
    "ops": {
        "GET /livez",
        "GET /readyz",
        "GET /ops",
        "GET /jobs",
        "POST /jobs/{job_id}/requeue",
        "POST /jobs/{job_id}/acknowledge",
        "POST /jobs/{job_id}/cancel",
        "POST /ops/types/{job_type}/pause",
        "POST /ops/types/{job_type}/resume",
        "GET /alerts",
        "POST /alerts/{alert_id}/retry",
        "POST /users",
        "POST /users/{user_id}/revoke",
        "GET /openapi.json",
        "GET /dashboard",
    },
}

# Wildcards that a permission may have: the handlers' common prefix, and the objects of a bucket of ours.
WILDCARDS = {
    "arn:${AWS::Partition}:lambda:${AWS::Region}:${AWS::AccountId}:function:${AWS::StackName}-job-*",
    "arn:${AWS::Partition}:s3:::${MediaBucket}/*",
    "arn:${AWS::Partition}:s3:::${SiteBucket}/*",
}


@cache
def plain():
    return transform(TEMPLATE)


@cache
def functions():
    """Functions by the last part of their name."""
    return {
        name.removeprefix("web4ai-"): f for name, f in load(TEMPLATE, fill_missing=True).functions.items()
    }


def of_type(kind):
    return {k: r.get("Properties", {}) for k, r in plain()["Resources"].items() if r["Type"] == kind}


def statements(function):
    """Every inline permission of a function's role; optional ones included."""
    role = plain()["Resources"][functions()[function].logical_id + "Role"]
    for policy in role["Properties"]["Policies"]:
        for statement in policy["PolicyDocument"]["Statement"]:
            yield statement["Fn::If"][1] if "Fn::If" in statement else statement


def resources_of(function, action):
    """The resources on which a function may do `action`, as the template writes them."""
    found = set()
    for statement in statements(function):
        actions, resource = statement["Action"], statement["Resource"]
        if action in ([actions] if isinstance(actions, str) else actions):
            found.add(
                next(iter(resource.values())) if "Ref" in resource or "Fn::Sub" in resource else str(resource)
            )
    return found


def lint(template, folder):
    command = [
        Path(sys.executable).with_name("cfn-lint"),
        "--regions",
        "ap-northeast-2",
        "--template",
        template,
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder).stdout


@pytest.mark.slow
def test_cfn_lint_finds_nothing_in_what_aws_makes_of_it(tmp_path):
    (tmp_path / "plain.json").write_text(json.dumps(plain()))
    assert lint(tmp_path / "plain.json", tmp_path) == ""


@pytest.mark.slow
def test_cfn_lint_finds_nothing_in_the_template_itself(tmp_path):
    assert lint(TEMPLATE, tmp_path) == ""


@pytest.mark.slow
def test_cfn_lint_would_find_what_is_wrong(tmp_path):
    wrong = copy.deepcopy(plain())
    claimer = wrong["Resources"]["ClaimerFunction"]["Properties"]
    claimer["Timeout"] = 1000
    claimer["Environment"]["Variables"]["WRONG"] = {"Ref": "Nobody"}
    (tmp_path / "wrong.json").write_text(json.dumps(wrong))
    found = lint(tmp_path / "wrong.json", tmp_path)
    assert "E3717" in found
    assert "E1020" in found


def test_the_functions_are_those_of_the_contract():
    assert set(functions()) == JOBS | SCHEDULED | HTTP | {"migrate"}
    for function in of_type("AWS::Lambda::Function").values():
        assert function["Runtime"] == "python3.13"
        assert function["Architectures"] == ["arm64"]


@pytest.mark.parametrize("name", sorted(JOBS | SCHEDULED | HTTP | {"migrate"}))
def test_every_handler_can_be_imported_without_any_setting(name):
    module, attribute = functions()[name].handler.rsplit(".", 1)
    code = f"import importlib; assert callable(importlib.import_module({module!r}).{attribute})"
    environment = {"PATH": os.environ["PATH"], "AWS_DEFAULT_REGION": "ap-northeast-2"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=PROJECT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_every_route_of_the_contract_leads_to_its_function():
    routes = {}
    for route in load(TEMPLATE, fill_missing=True).routes:
        routes.setdefault(route.function.removeprefix("web4ai-"), set()).add(f"{route.method} {route.path}")
    assert routes == ROUTES


@pytest.mark.parametrize("name", sorted(JOBS | SCHEDULED))
def test_asynchronous_functions_leave_retries_to_the_database(name):
    function = functions()[name]
    (config,) = [
        config
        for config in of_type("AWS::Lambda::EventInvokeConfig").values()
        if config["FunctionName"] == {"Ref": function.logical_id}
    ]
    assert (config["MaximumRetryAttempts"], config["MaximumEventAgeInSeconds"]) == (0, 60)
    assert config["DestinationConfig"]["OnFailure"]["Destination"] == {"Fn::GetAtt": ["FailedEvents", "Arn"]}


def test_only_the_claimer_and_the_handlers_may_loop():
    assert {name for name, f in functions().items() if f.recursive_loop_allowed} == JOBS | {"claimer"}


def test_schedules_fire_every_minute_without_retries_or_a_fixed_name():
    schedules = of_type("AWS::Scheduler::Schedule")
    assert len(schedules) == len(SCHEDULED)
    for schedule in schedules.values():
        parse(schedule["ScheduleExpression"])
        assert schedule["ScheduleExpression"] == "rate(1 minute)"
        assert schedule["Target"]["RetryPolicy"] == {
            "MaximumRetryAttempts": 0,
            "MaximumEventAgeInSeconds": 60,
        }
        assert "Name" not in schedule


def test_timeouts_fit_aws_and_the_gateway():
    for name, function in functions().items():
        assert function.timeout_s <= (29 if name in HTTP else 900)
    for name in SCHEDULED:
        assert functions()[name].timeout_s <= 60


def test_reserved_concurrency_adds_up_to_what_the_template_says():
    reserved = [function.reserved_concurrency for function in functions().values()]
    assert None not in reserved
    assert sum(reserved) == int(re.search(r"all of it together is (\d+)", TEMPLATE.read_text())[1])


def test_no_permission_is_wider_than_named_here():
    for name in functions():
        for statement in statements(name):
            actions, resource = statement["Action"], statement["Resource"]
            assert statement["Effect"] == "Allow"
            assert "*" not in json.dumps(actions), (name, actions)
            text = resource["Fn::Sub"] if "Fn::Sub" in resource else json.dumps(resource)
            assert "*" not in text or text in WILDCARDS, (name, resource)


def test_managed_policies_are_those_of_logging_and_the_vpc_alone():
    for role in of_type("AWS::IAM::Role").values():
        names = {arn.rsplit("/", 1)[-1] for arn in role.get("ManagedPolicyArns", [])}
        assert names <= {"AWSLambdaBasicExecutionRole", "AWSLambdaVPCAccessExecutionRole"}


def test_each_function_invokes_exactly_what_it_needs():
    own = "arn:${AWS::Partition}:lambda:${AWS::Region}:${AWS::AccountId}:function:${AWS::StackName}-"
    for name in functions():
        expected = {
            "claimer": {own + "job-*"},
            "alert-flusher": set(),
            "migrate": set(),
        }.get(name, {own + "claimer"})
        assert resources_of(name, "lambda:InvokeFunction") == expected, name
        needs_prefix = "FUNCTION_PREFIX" in functions()[name].environment
        assert needs_prefix == bool(expected), name


def test_each_function_reads_exactly_the_secrets_it_is_told_of():
    for name, function in functions().items():
        properties = plain()["Resources"][function.logical_id]["Properties"]
        variables = properties["Environment"]["Variables"]
        told = {value["Ref"] for key, value in variables.items() if key.endswith("_SECRET_ARN")}
        if name == "ops":  # it says whether there is a webhook, and never reads it
            told.remove("TeamsWebhookSecretArn")
        assert resources_of(name, "secretsmanager:GetSecretValue") == told, name
        assert "DatabaseSecretArn" in told


def test_environment_variables_are_settings_and_none_that_only_tests_may_set():
    known = {name.upper() for name in Settings.model_fields} | {"POWERTOOLS_SERVICE_NAME"}
    local = {name for name in known if name.startswith("JOB_") and name != "JOB_RETENTION_DAYS"}
    local |= {"CRAWL_ALLOW", "QUEUE_NOTIFY", "SITE_DIR", "MEDIA_DIR"}
    for name, function in functions().items():
        assert set(function.environment) <= known - local, name


def test_no_secret_stands_in_the_template_by_value():
    by_value = {name for name, field in Settings.model_fields.items() if "SecretStr" in str(field.annotation)}
    for function in functions().values():
        assert not by_value & {name.lower() for name in function.environment}
    text = TEMPLATE.read_text()
    looks_secret = (
        r"AKIA[0-9A-Z]{16}|AIza[\w-]{20}|pplx-\w{20}|postgres(ql)?://|webhook\.office|sig=|BEGIN [A-Z ]*KEY"
    )
    assert re.search(looks_secret, text) is None
    for name, parameter in plain()["Parameters"].items():
        if "Secret" in name:
            assert not parameter.get("Default"), name


def test_optional_secrets_may_be_empty_and_the_others_may_not():
    parameters = plain()["Parameters"]
    optional = {name for name, p in parameters.items() if name.endswith("SecretArn") and "Default" in p}
    assert optional == {
        "ChannelKeysSecretArn",
        "DatabaseDirectSecretArn",
        "GeminiSecretArn",
        "PerplexitySecretArn",
        "TeamsWebhookSecretArn",
    }
    for name, parameter in parameters.items():
        if name.endswith("SecretArn"):
            empty_allowed = re.search(parameter["AllowedPattern"], "") is not None
            assert empty_allowed == (name in optional), name
            arn = "arn:aws:secretsmanager:ap-northeast-2:123456789012:secret:web4ai/x-AbCdEf"
            assert re.search(parameter["AllowedPattern"], arn)


def test_two_stacks_fit_in_one_account():
    for name, resource in plain()["Resources"].items():
        properties = resource.get("Properties", {})
        for key in ("FunctionName", "LogGroupName", "BucketName", "QueueName", "RoleName", "AlarmName"):
            value = properties.get(key)
            if resource["Type"] != "AWS::Lambda::EventInvokeConfig" and isinstance(value, dict | str):
                shared = "AWS::StackName" in json.dumps(value) or "Ref" in json.dumps(value)
                assert shared, (name, key)


def test_buckets_are_private_encrypted_and_kept():
    for name, bucket in of_type("AWS::S3::Bucket").items():
        assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
        assert bucket["BucketEncryption"]
        assert plain()["Resources"][name]["DeletionPolicy"] == "Retain"


def settings_of(name, monkeypatch, **parameters):
    """What a function reads of its own environment when the stack is given these parameters."""
    function = load(TEMPLATE, parameters, fill_missing=True).functions[f"web4ai-{name}"]
    with monkeypatch.context() as environment:
        for variable, value in function.environment.items():
            environment.setenv(variable, value)
        return Settings()


def test_without_parameters_collecting_asks_no_vendor(monkeypatch):
    settings = settings_of("job-collect", monkeypatch)
    assert settings.channel_keys_secret_arn is None
    assert settings.nominatim_base_url is None
    assert settings.overpass_base_url is None
    assert settings.naver_api == "hub"


def test_the_channels_parameters_reach_those_who_read_them(monkeypatch):
    arn = "arn:aws:secretsmanager:ap-northeast-2:123456789012:secret:web4ai/channels-AbCdEf"
    collect = settings_of(
        "job-collect",
        monkeypatch,
        ChannelKeysSecretArn=arn,
        NaverApi="developers",
        NominatimUrl="https://nominatim.example",
        OverpassUrl="https://overpass.example",
        SiteOrigin="https://pages.example",
    )
    assert collect.channel_keys_secret_arn == arn
    assert collect.naver_api == "developers"
    assert collect.nominatim_base_url == "https://nominatim.example"
    assert collect.overpass_base_url == "https://overpass.example"
    assert collect.site_origin == "https://pages.example"
    reaper = settings_of(
        "reaper", monkeypatch, RecollectDays="0", ChannelAlertPlaces="3", ChannelAlertMinutes="5"
    )
    assert (reaper.recollect_days, reaper.channel_alert_places, reaper.channel_alert_minutes) == (0, 3, 5)


def test_a_developers_keys_and_the_vendors_addresses_reach_the_functions_of_their_machine():
    own = {"database_url", "database_direct_url", "jwt_secret"}  # which the machine makes or reads itself
    secret = {name for name, field in Settings.model_fields.items() if "SecretStr" in str(field.annotation)}
    servers = {name for name in Settings.model_fields if name.endswith("_base_url")}
    assert {name.upper() for name in (secret - own) | servers} <= set(PASSED_ON)
    assert {name.lower() for name in PASSED_ON} <= set(Settings.model_fields)
