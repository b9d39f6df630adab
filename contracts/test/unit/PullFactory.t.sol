// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {PullFactory} from "../../src/PullFactory.sol";
import {Puller} from "../../src/Puller.sol";
import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";
import {AnsweringToken, FalseToken, FeeToken, HookToken} from "../mocks/Tokens.sol";
import {PullBench} from "../mocks/PullBench.sol";
import {vm} from "../mocks/Vm.sol";

contract PullFactoryTest is PullBench {
    bytes private constant REFUSED = abi.encodeWithSelector(SafeTransferLib.TransferFromFailed.selector);

    bytes private hookCall;
    bool private isActing;
    uint256 private hooksThatWentThrough;

    function test_onePermitPaysItsDeposit() external {
        Signed memory signed = permitTo(pullerOf(deposit, AMOUNT));
        vm.prank(person("stranger"));
        pull(deposit, AMOUNT, signed);
        vm.assertEq(token.balanceOf(deposit), AMOUNT, "paid");
        vm.assertEq(token.balanceOf(payer), FUNDS - AMOUNT, "no more than that");
        vm.assertEq(token.allowance(payer, pullerOf(deposit, AMOUNT)), 0, "nothing stands");
    }

    function test_whatIsPaidIsSweptAsIfSent() external {
        pull(deposit, AMOUNT, permitTo(pullerOf(deposit, AMOUNT)));
        vm.assertEq(factory.sweep(split, REF, address(token)), AMOUNT, "swept");
        vm.assertEq(token.balanceOf(split), AMOUNT, "at the split");
    }

    function test_thePullerStandsWhereItWasSaid() external {
        address puller = pullerOf(deposit, AMOUNT);
        vm.assertEq(puller.code.length, 0, "no code before");
        pull(deposit, AMOUNT, permitTo(puller));
        vm.assertTrue(puller.code.length > 0, "made by the pull");
        vm.assertTrue(pulls.pullerImplementation().code.length > 0, "what it delegates to");
    }

    function test_twoOwnersPayThroughOnePuller() external {
        address puller = pullerOf(deposit, AMOUNT);
        pull(deposit, AMOUNT, permitTo(puller));
        address other = vm.addr(KEY + 1);
        token.mint(other, AMOUNT);
        vm.prank(other);
        token.approve(puller, AMOUNT);
        pulls.pullWithPermit(deposit, address(token), AMOUNT, DEADLINE, other, 0, 0, 0);
        vm.assertEq(token.balanceOf(deposit), 2 * AMOUNT, "both");
    }

    function test_aStrangerWhoUsesThePermitFirstStopsNothing() external {
        address puller = pullerOf(deposit, AMOUNT);
        Signed memory signed = permitTo(puller);
        vm.prank(person("stranger"));
        token.permit(payer, puller, AMOUNT, DEADLINE, signed.v, signed.r, signed.s);
        pull(deposit, AMOUNT, signed);
        vm.assertEq(token.balanceOf(deposit), AMOUNT, "paid");
    }

    function test_aStrangerWhoPullsFirstPaysTheSameDepositOnce() external {
        Signed memory signed = permitTo(pullerOf(deposit, AMOUNT));
        vm.prank(person("stranger"));
        pull(deposit, AMOUNT, signed);
        vm.expectRevert(REFUSED);
        pull(deposit, AMOUNT, signed);
        vm.assertEq(token.balanceOf(deposit), AMOUNT, "once");
    }

    function test_aPartAnotherTokenOrAnotherPlaceHasNoAllowance() external {
        Signed memory signed = permitTo(pullerOf(deposit, AMOUNT));
        token.permit(payer, pullerOf(deposit, AMOUNT), AMOUNT, DEADLINE, signed.v, signed.r, signed.s);
        vm.expectRevert(REFUSED);
        pull(deposit, AMOUNT - 1, signed);
        vm.expectRevert(REFUSED);
        pull(person("thief"), AMOUNT, signed);
        usdc.mint(payer, FUNDS);
        vm.expectRevert(REFUSED);
        pulls.pullWithPermit(deposit, address(usdc), AMOUNT, DEADLINE, payer, signed.v, signed.r, signed.s);
        vm.assertEq(token.balanceOf(payer), FUNDS, "nothing moved");
    }

    function test_aPermitForOneReceiptPaysNoOtherReceiptOrSplit() external {
        Signed memory signed = permitTo(pullerOf(deposit, AMOUNT));
        address otherReceipt = factory.depositAddress(split, "another receipt");
        vm.expectRevert(REFUSED);
        pull(otherReceipt, AMOUNT, signed);
        address otherSplit = address(splitOf(person("c"), person("d")));
        address depositOfOther = factory.depositAddress(otherSplit, REF);
        vm.expectRevert(REFUSED);
        pull(depositOfOther, AMOUNT, signed);
    }

    function test_aPermitSignedForAnotherChainPaysNothing() external {
        address puller = pullerOf(deposit, AMOUNT);
        bytes32 domain = keccak256(
            abi.encode(
                keccak256(
                    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
                ),
                keccak256("Coinbase Wrapped BTC"),
                keccak256("1"),
                block.chainid + 1,
                address(token)
            )
        );
        Signed memory signed = sign(puller, domain);
        vm.expectRevert(REFUSED);
        pull(deposit, AMOUNT, signed);
    }

    function test_anAllowanceThatWasLeftOverEndsWithTheDeadline() external {
        address puller = pullerOf(deposit, AMOUNT);
        Signed memory signed = permitTo(puller);
        token.permit(payer, puller, AMOUNT, DEADLINE, signed.v, signed.r, signed.s);
        vm.warp(DEADLINE + 1);
        vm.expectRevert(abi.encodeWithSelector(PullFactory.PullExpired.selector, DEADLINE));
        pull(deposit, AMOUNT, signed);
        vm.warp(DEADLINE);
        pull(deposit, AMOUNT, signed);
        vm.assertEq(token.balanceOf(deposit), AMOUNT, "in its last second");
    }

    /// @dev A permit is bound to its token. An allowance that the payer sets directly is not bound to a
    /// payment.
    function test_anotherTokenIsAnotherPuller() external view {
        address other = pulls.pullerAddress(deposit, address(usdc), AMOUNT, DEADLINE);
        vm.assertTrue(pullerOf(deposit, AMOUNT) != other, "one address each");
    }

    function test_anotherDeadlineIsAnotherPuller() external {
        Signed memory signed = permitTo(pullerOf(deposit, AMOUNT));
        token.permit(payer, pullerOf(deposit, AMOUNT), AMOUNT, DEADLINE, signed.v, signed.r, signed.s);
        vm.warp(DEADLINE + 1);
        vm.expectRevert(REFUSED);
        pulls.pullWithPermit(
            deposit, address(token), AMOUNT, DEADLINE + 100, payer, signed.v, signed.r, signed.s
        );
    }

    function test_onlyTheFactoryMayCallAPuller() external {
        address puller = pullerOf(deposit, AMOUNT);
        pull(deposit, AMOUNT, permitTo(puller));
        vm.prank(payer);
        token.approve(puller, type(uint256).max);
        vm.expectRevert(Puller.OnlyFactory.selector);
        Puller(puller).pull(address(token), payer, person("thief"), AMOUNT);
        Puller implementation = Puller(pulls.pullerImplementation());
        vm.expectRevert(Puller.OnlyFactory.selector);
        implementation.pull(address(token), payer, person("thief"), AMOUNT);
    }

    function test_aPullerKeepsNoEth() external {
        address puller = pullerOf(deposit, AMOUNT);
        pull(deposit, AMOUNT, permitTo(puller));
        vm.deal(address(this), 1);
        (bool done,) = puller.call{value: 1}("");
        vm.assertTrue(!done, "refused");
    }

    function test_aTokenThatTakesAFeePaysWhatArrives() external {
        FeeToken fee = new FeeToken();
        fee.mint(payer, 1_000);
        pulls.pullWithPermit(deposit, address(fee), 1_000, DEADLINE, payer, 0, 0, 0);
        vm.assertEq(fee.balanceOf(deposit), 990, "less its fee");
    }

    function test_aTokenThatReturnsNothingPays() external {
        usdt.mint(payer, AMOUNT);
        address puller = pulls.pullerAddress(deposit, address(usdt), AMOUNT, DEADLINE);
        vm.prank(payer);
        usdt.approve(puller, AMOUNT);
        pulls.pullWithPermit(deposit, address(usdt), AMOUNT, DEADLINE, payer, 0, 0, 0);
        vm.assertEq(usdt.balanceOf(deposit), AMOUNT, "paid");
    }

    function test_aTokenThatSaysFalseOrIsNoContractPaysNothing() external {
        FalseToken falseToken = new FalseToken();
        vm.expectRevert(REFUSED);
        pulls.pullWithPermit(deposit, address(falseToken), AMOUNT, DEADLINE, payer, 0, 0, 0);
        vm.expectRevert();
        pulls.pullWithPermit(deposit, person("no token"), AMOUNT, DEADLINE, payer, 0, 0, 0);
    }

    function test_onlyTrueOrNothingIsAnAnswer() external {
        AnsweringToken answering = new AnsweringToken();
        answering.mint(payer, FUNDS);
        bytes[5] memory refusals =
            [bytes(hex"01"), new bytes(31), abi.encodePacked(new bytes(30), hex"01"), abi.encode(0), abi.encode(2)];
        for (uint256 i; i < refusals.length; ++i) {
            answering.setAnswer(refusals[i]);
            vm.expectRevert(REFUSED);
            pulls.pullWithPermit(deposit, address(answering), 100, DEADLINE, payer, 0, 0, 0);
        }
        answering.setAnswer("");
        pulls.pullWithPermit(deposit, address(answering), 100, DEADLINE, payer, 0, 0, 0);
        answering.setAnswer(abi.encode(1));
        pulls.pullWithPermit(deposit, address(answering), 100, DEADLINE, payer, 0, 0, 0);
        vm.assertEq(answering.balanceOf(deposit), 200, "both good answers");
    }

    function test_aRefusedTransferIsNoPull() external {
        usdt.mint(payer, AMOUNT);
        address puller = pulls.pullerAddress(deposit, address(usdt), AMOUNT, DEADLINE);
        vm.prank(payer);
        usdt.approve(puller, AMOUNT);
        usdt.setBlocked(payer, true);
        vm.expectRevert(REFUSED);
        pulls.pullWithPermit(deposit, address(usdt), AMOUNT, DEADLINE, payer, 0, 0, 0);
        vm.assertEq(puller.code.length, 0, "nothing was left behind");
    }

    /// @dev The token calls its sender, this contract, which pulls again.
    function test_aHookThatPullsAgainPaysTheSamePayment() external {
        HookToken hooked = new HookToken();
        hooked.mint(address(this), 3 * AMOUNT);
        hookCall = abi.encodeCall(
            pulls.pullWithPermit, (deposit, address(hooked), AMOUNT, DEADLINE, address(this), 0, 0, 0)
        );
        pulls.pullWithPermit(deposit, address(hooked), AMOUNT, DEADLINE, address(this), 0, 0, 0);
        vm.assertEq(hooksThatWentThrough, 1, "it went through");
        vm.assertEq(hooked.balanceOf(deposit), 2 * AMOUNT, "to the same deposit, by an allowance without end");
        vm.assertEq(hooked.balanceOf(address(this)), AMOUNT, "and nowhere else");
    }

    /// @dev Acts only once, because successful calls invoke this hook again.
    function tokensToSend() external {
        if (isActing) return;
        isActing = true;
        (bool done,) = address(pulls).call(hookCall);
        if (done) ++hooksThatWentThrough;
    }
}
